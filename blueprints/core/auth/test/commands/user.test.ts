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

async function appWithUsers() {
  const app = await createTestApp()
  for (const name of ['alice', 'Bob', 'a_b', 'axb']) await register(app, name)
  const list = async (options = '') => {
    const lines = await user(app, `list --json ${options}`.trim())
    return lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).username)
  }
  return { app, list }
}

test('list shows pages of users by id', async () => {
  const { list } = await appWithUsers()
  expect(await list()).toEqual(['alice', 'Bob', 'a_b', 'axb'])
  expect(await list('--limit 2')).toEqual(['alice', 'Bob'])
  expect(await list('--limit 2 --after 2')).toEqual(['a_b', 'axb'])
  expect(await list('--after 4')).toEqual([])
})

test('list finds a part of the username or email in any case, and no pattern', async () => {
  const { list } = await appWithUsers()
  expect(await list('--search BOB')).toEqual(['Bob'])
  expect(await list('--search e@EXAMPLE')).toEqual(['alice'])
  expect(await list('--search a_b')).toEqual(['a_b'])
  expect(await list('--search %')).toEqual([])
})

test('list prints a table, and the option for the next page', async () => {
  const { app } = await appWithUsers()
  const [head, alice, bob, ...rest] = (await user(app, 'list --limit 2')).split('\n')
  expect(head).toMatch(/^id {2}email {14}username/)
  expect(alice).toMatch(/^1 {3}alice@example\.com {2}alice {5}true/)
  expect(bob).toMatch(/^2 {3}bob@example\.com {4}Bob {7}true/)
  expect(rest).toEqual(['Next page: --after 2'])
  expect(await user(app, 'list --after 4')).toBe('No users.')
})

test('list contains no hash', async () => {
  const { app } = await appWithUsers()
  expect(await user(app, 'list --json')).not.toContain('$')
})

test.each([
  ['--limit x', 1, 'limit: Must be a whole number'],
  ['--limit 0', 1, 'limit: Must be a whole number from 1'],
  ['--after 1e3', 1, 'after: Must be a whole number from 0'],
  ['--limit -1', 2, 'list [--search <search>]'],
  ['--unknown', 2, 'list [--search <search>]'],
])('list %s is refused', async (options, exitCode, message) => {
  const { app } = await appWithUsers()
  await expect(user(app, `list ${options}`)).rejects.toMatchObject({
    exitCode,
    message: expect.stringContaining(message),
  })
})
