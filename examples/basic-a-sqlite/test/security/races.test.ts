import { describe, expect, test } from 'vitest'
import { completeLogin } from '../../src/accounts/log-in.ts'
import { users } from '../../src/db/schema/users.ts'
import type { Credentials } from '../../src/passwords/credentials.ts'
import type { User } from '../../src/users/users.ts'
import { changeUser, logIn, password, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'

const send = (app: TestApp, username: string, email: string) =>
  app.inject({ method: 'POST', url: '/api/v1/auth/register', body: { username, email, password } })

/** Counts the responses by status. */
async function statuses(requests: Promise<{ statusCode: number }>[]) {
  const counts: Record<number, number> = {}
  for (const { statusCode } of await Promise.all(requests)) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

const twenty = Array.from({ length: 20 }, (_, index) => index)

/** The name in a different case for each number. */
const inAnotherCase = (name: string, number: number) =>
  [...name].map((letter, place) => ((number >> place) & 1 ? letter.toUpperCase() : letter)).join('')

test('exactly one of 20 concurrent registrations of one username succeeds', async () => {
  const app = await createTestApp()
  const requests = twenty.map((number) =>
    send(app, inAnotherCase('alice', number), `user${number}@example.com`),
  )
  expect(await statuses(requests)).toEqual({ 201: 1, 409: 19 })
  expect(await app.db.read.$count(users)).toBe(1)
})

test('exactly one of 20 concurrent registrations of one email succeeds', async () => {
  const app = await createTestApp()
  const requests = twenty.map((number) =>
    send(app, `user${number}`, `${inAnotherCase('alice', number)}@example.com`),
  )
  expect(await statuses(requests)).toEqual({ 201: 1, 409: 19 })
  expect(await app.db.read.$count(users)).toBe(1)
})

test('exactly one user gets an email that several change to, and one registers with, concurrently', async () => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const tokens: string[] = []
  for (const name of ['alice', 'bob', 'carol', 'dave']) {
    await register(app, name)
    tokens.push(await logIn(app, name))
  }
  const email = 'wanted@example.com'
  const answers = await statuses([
    ...tokens.map((token) => changeEmail(app, token, email)),
    send(app, 'eve', email),
  ])
  // One of the five. A change in mode complete may also be refused when it is confirmed.
  expect((answers[200] ?? 0) + (answers[201] ?? 0)).toBe(1)
  const owners = (await app.db.read.select().from(users)).filter((user) => user.email === email)
  expect(owners).toHaveLength(1)
})

test('of 20 concurrent wrong passwords only 5 are checked', async () => {
  const app = await createTestApp()
  await register(app)
  const requests = twenty.map((number) => tryLogIn(app, inAnotherCase('alice', number), 'Wrong-Horse-7'))
  expect(await statuses(requests)).toEqual({ 401: 5, 429: 15 })
})

test('of 20 concurrent passwords for an unknown name only 5 are checked', async () => {
  const app = await createTestApp()
  const requests = twenty.map((number) => tryLogIn(app, inAnotherCase('nobody', number), 'Wrong-Horse-7'))
  expect(await statuses(requests)).toEqual({ 401: 5, 429: 15 })
})

const refused = { problem: { code: 'invalid_credentials' } }

/** Completes a login. The row may have changed since `verified` was read. */
function finishLogin(app: TestApp, verified: User, needsRehash: boolean, hashedFor: string[] = []) {
  const credentials: Credentials = {
    ...app.ctx.credentials,
    needsRehash: () => needsRehash,
    verify: (text, hash, address) => {
      hashedFor.push(address ?? '')
      return app.ctx.credentials.verify(text, hash, address)
    },
  }
  const given = { name: 'alice', password, client: { address: '192.0.2.1' } }
  const counted = { keys: [], giveBackToAddress: async () => {} }
  return completeLogin({ ...app.ctx, credentials }, given, { user: verified, ...counted })
}

// Verifying and rehashing a password take time: these changes happen in between.
describe.each([
  ['that only verifies the password', false],
  ['that rehashes the password', true],
])('a login %s', (_case, needsRehash) => {
  test.each([
    ['the user is deactivated', async () => ({ isActive: false })],
    [
      'the password is changed',
      async (app: TestApp) => ({ hashedPassword: await app.ctx.credentials.hash('New-Horse-8') }),
    ],
  ])('issues no token if %s meanwhile, and does not undo the change', async (_change, makeChange) => {
    const app = await createTestApp()
    const { id } = await register(app)
    const verified = await readUser(app, id)
    const change = await makeChange(app)
    await changeUser(app, id, change)
    await expect(finishLogin(app, verified, needsRehash)).rejects.toMatchObject(refused)
    expect(await readUser(app, id)).toMatchObject(change)
  })

  test('succeeds if another login rehashed the same password meanwhile', async () => {
    const app = await createTestApp()
    const { id } = await register(app)
    const verified = await readUser(app, id)
    await changeUser(app, id, { hashedPassword: await app.ctx.credentials.hash(password) })
    const hashedFor: string[] = []
    expect(await finishLogin(app, verified, needsRehash, hashedFor)).toMatchObject({ token_type: 'bearer' })
    // For its client, which has a share of the hash queue.
    expect(hashedFor).toEqual(['192.0.2.1'])
    expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
  })
})
