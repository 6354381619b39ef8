import { describe, expect, test } from 'vitest'
import { completeLogin } from '../../src/accounts/login.ts'
import type { User } from '../../src/accounts/users.ts'
import { users } from '../../src/db/schema/users.ts'
import { changeUser, logIn, password, putMe, readUser, register, tryLogIn } from '../accounts.ts'
import { createTestApp, type TestApp } from '../app.ts'

const send = (app: TestApp, username: string, email: string) =>
  app.inject({ method: 'POST', url: '/api/v1/auth/register', body: { username, email, password } })

/** How often each status was answered. */
async function statuses(requests: Promise<{ statusCode: number }>[]) {
  const counts: Record<number, number> = {}
  for (const { statusCode } of await Promise.all(requests)) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

const twenty = Array.from({ length: 20 }, (_, index) => index)

/** The same name, written in as many ways as there are numbers. */
const inAnotherCase = (name: string, number: number) =>
  [...name].map((letter, place) => ((number >> place) & 1 ? letter.toUpperCase() : letter)).join('')

test('of 20 registrations of one username at once exactly one succeeds', async () => {
  const app = await createTestApp()
  const requests = twenty.map((number) =>
    send(app, inAnotherCase('alice', number), `user${number}@example.com`),
  )
  expect(await statuses(requests)).toEqual({ 201: 1, 409: 19 })
  expect(await app.db.read.$count(users)).toBe(1)
})

test('of 20 registrations of one email at once exactly one succeeds', async () => {
  const app = await createTestApp()
  const requests = twenty.map((number) =>
    send(app, `user${number}`, `${inAnotherCase('alice', number)}@example.com`),
  )
  expect(await statuses(requests)).toEqual({ 201: 1, 409: 19 })
  expect(await app.db.read.$count(users)).toBe(1)
})

test('of several users who take one email at once, and one who registers with it, exactly one gets it', async () => {
  const app = await createTestApp()
  const tokens: string[] = []
  for (const name of ['alice', 'bob', 'carol', 'dave']) {
    await register(app, name)
    tokens.push(await logIn(app, name))
  }
  const email = 'wanted@example.com'
  const answers = await statuses([
    ...tokens.map((token) => putMe(app, token, { email })),
    send(app, 'eve', email),
  ])
  expect(answers[409]).toBe(4)
  const owners = (await app.db.read.select().from(users)).filter((user) => user.email === email)
  expect(owners).toHaveLength(1)
})

test('of 20 wrong passwords at once only 5 are looked at', async () => {
  const app = await createTestApp()
  await register(app)
  const requests = twenty.map((number) => tryLogIn(app, inAnotherCase('alice', number), 'Wrong-Horse-7'))
  expect(await statuses(requests)).toEqual({ 401: 5, 429: 15 })
})

test('of 20 wrong passwords for a name that nobody has too', async () => {
  const app = await createTestApp()
  const requests = twenty.map((number) => tryLogIn(app, inAnotherCase('nobody', number), 'Wrong-Horse-7'))
  expect(await statuses(requests)).toEqual({ 401: 5, 429: 15 })
})

const refused = { problem: { code: 'invalid_credentials' } }

/** The end of a login: what `verified` was before, and what the database holds since, may differ. */
function finishLogin(app: TestApp, verified: User, needsRehash: boolean) {
  const { db } = app
  const credentials = { ...app.accounts.credentials, needsRehash: () => needsRehash }
  return completeLogin({ db, credentials }, verified, password, async () => 'granted')
}

// Verifying a password takes a while, and hashing it anew another: these changes come in between.
describe.each([
  ['that verifies', false],
  ['that hashes the password anew', true],
])('a login %s', (_case, needsRehash) => {
  test.each([
    ['the user is deactivated', async () => ({ isActive: false })],
    [
      'the password is changed',
      async (app: TestApp) => ({ hashedPassword: await app.accounts.credentials.hash('New-Horse-8') }),
    ],
  ])('ends without a token if %s meanwhile, and does not undo it', async (_change, makeChange) => {
    const app = await createTestApp()
    const { id } = await register(app)
    const verified = await readUser(app, id)
    const change = await makeChange(app)
    await changeUser(app, id, change)
    await expect(finishLogin(app, verified, needsRehash)).rejects.toMatchObject(refused)
    expect(await readUser(app, id)).toMatchObject(change)
  })

  test('succeeds if another one hashed the same password anew meanwhile', async () => {
    const app = await createTestApp()
    const { id } = await register(app)
    const verified = await readUser(app, id)
    await changeUser(app, id, { hashedPassword: await app.accounts.credentials.hash(password) })
    expect(await finishLogin(app, verified, needsRehash)).toBe('granted')
    expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
  })
})
