import { inspect } from 'node:util'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import { expect, test } from 'vitest'
import { type CommandError, loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { isFamiliar } from '../../src/limits/login-limit.ts'
import { getMe, logIn, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

/** Runs `npm run user -- …` on the app's database. `typed` is the password that the prompt returns. */
async function user({ ctx }: Pick<TestApp, 'ctx'>, line: string, typed = password): Promise<string> {
  const readPassword = async () => typed
  return runUserCommand(await loadUserCommands(), line.split(' '), { ...ctx, readPassword })
}

test('create creates a user who can log in', async () => {
  const app = await createTestApp()
  expect(await user(app, 'create alice Alice@Example.com')).toBe('Created user alice (id 1).')
  const token = await logIn(app)
  expect((await getMe(app, token)).json()).toMatchObject({
    id: 1,
    email: 'alice@example.com',
    is_active: true,
  })
})

test.each([
  ['create alice not-an-email', password, 'email: Must be an email address'],
  ['create a alice@example.com', password, 'username: Must be 3 to 32'],
  [
    'create alice alice@example.com',
    'short',
    'Password must be at least 8 characters\nPassword must contain uppercase',
  ],
  ['create BOB other@example.com', password, 'Email or username already registered.'],
  ['deactivate nobody', password, 'There is no user "nobody".'],
])('%s is refused, and nothing is changed', async (line, typed, message) => {
  const app = await createTestApp()
  await register(app, 'bob')
  const refused: CommandError = await user(app, line, typed).catch((error) => error)
  expect(refused).toMatchObject({
    name: 'CommandError',
    exitCode: 1,
    message: expect.stringContaining(message),
  })
  await expect(user(app, 'create alice alice@example.com')).resolves.toMatch(
    /^Created user alice \(id \d\)\.$/,
  )
})

test.each(['', 'help', 'create alice', 'deactivate alice bob'])('%o prints the usage', async (line) => {
  const app = await createTestApp()
  await expect(user(app, line)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('create <username>'),
  })
})

test('deactivate revokes all access immediately, and activate does not restore old tokens', async () => {
  const app = await createTestApp()
  await register(app)
  const token = await logIn(app)

  await user(app, 'deactivate alice')
  expect((await getMe(app, token)).statusCode).toBe(401)
  await expect(logIn(app)).rejects.toThrow('Invalid credentials')

  await user(app, 'activate alice@example.com')
  expect((await getMe(app, token)).statusCode).toBe(401)
  expect((await getMe(app, await logIn(app))).statusCode).toBe(200)
})

test('end-sessions revokes all access of one user, who can log in again', async () => {
  const app = await createTestApp()
  await register(app)
  await register(app, 'bob')
  const [token, bob] = [await logIn(app), await logIn(app, 'bob')]

  expect(await user(app, 'end-sessions alice')).toBe('User alice is logged out everywhere.')

  expect((await getMe(app, token)).statusCode).toBe(401)
  expect((await getMe(app, bob)).statusCode).toBe(200)
  expect((await getMe(app, await logIn(app))).statusCode).toBe(200)
  await expect(user(app, 'end-sessions nobody')).rejects.toThrow('There is no user "nobody".')
})

test('password sets a new password and revokes all access', async () => {
  const app = await createTestApp()
  await register(app)
  const token = await logIn(app)

  await user(app, 'password alice', 'Another-Horse-8')

  expect((await getMe(app, token)).statusCode).toBe(401)
  await expect(logIn(app)).rejects.toThrow('Invalid credentials')
  expect((await getMe(app, await logIn(app, 'alice', 'Another-Horse-8'))).statusCode).toBe(200)
})

test('password lets the user log in after too many failures, and forgets the clients of the thief', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '5' })
  const { id } = await register(app)
  const isKnown = (address: string) => app.db.transaction((tx) => isFamiliar(tx, id, address, app.now()))
  await tryLogIn(app, 'alice', password, '198.51.100.7')
  expect(await isKnown('198.51.100.7')).toBe(true)
  for (const name of ['alice', 'alice@example.com'])
    for (let time = 0; time < 5; time += 1) await tryLogIn(app, name, 'Wrong-Horse-7')

  await user(app, 'password alice', 'Another-Horse-8')

  expect(await isKnown('198.51.100.7')).toBe(false)
  for (const name of ['alice', 'alice@example.com'])
    expect((await tryLogIn(app, name, 'Another-Horse-8')).statusCode).toBe(200)
})

// The output of a command gets into tickets and the logs of pipelines.
test('an error of the database shows no hash or address', async () => {
  const app = await createTestApp()
  const values = ['alice@example.com', '$argon2id$hash']
  const failed = new DrizzleQueryError('insert …', values, new Error('disk full'))
  const db = { ...app.db, transaction: () => Promise.reject(failed) }
  const broken = { ctx: { ...app.ctx, db } }
  const shown = inspect(await user(broken, 'create alice alice@example.com').catch((error: unknown) => error))
  expect(shown).toContain('disk full')
  for (const value of values) expect(shown).not.toContain(value)
})
