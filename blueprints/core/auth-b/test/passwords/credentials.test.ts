import { type Algorithm, hash as argon2, type Version } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { expect, test } from 'vitest'
import { changeUser, logIn, password, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'
import { realHashes } from '../support/settings.ts'

/** Creates a user with an existing hash, such as from another service. */
async function userWith(hashedPassword: string) {
  const app = await createTestApp(realHashes)
  const { id } = await register(app)
  await changeUser(app, id, { hashedPassword })
  return { app, storedHash: async () => (await readUser(app, id)).hashedPassword }
}

const floor = { memoryCost: 19_456, timeCost: 2 }
const argon2i = 1 as Algorithm
const version16 = 0 as Version

test('a password is stored as an argon2id hash with the configured parameters', async () => {
  const app = await createTestApp({
    ARGON2_MEMORY_KIB: '20480',
    ARGON2_TIME_COST: '3',
    ARGON2_PARALLELISM: '2',
  })
  const { id } = await register(app)
  expect((await readUser(app, id)).hashedPassword).toMatch(/^\$argon2id\$v=19\$m=20480,t=3,p=2\$/)
})

test.each([
  ['a bcrypt hash', () => bcrypt(password, 10)],
  ['an argon2id hash with less memory', () => argon2(password, { memoryCost: 8192, timeCost: 2 })],
  ['an argon2id hash with fewer passes', () => argon2(password, { ...floor, timeCost: 1 })],
  ['an argon2id hash of version 16', () => argon2(password, { ...floor, version: version16 })],
  ['an argon2i hash', () => argon2(password, { ...floor, algorithm: argon2i })],
])('%s is accepted, and the login rewrites it', async (_case, makeHash) => {
  const { app, storedHash } = await userWith(await makeHash())
  expectProblem(await tryLogIn(app, 'alice', 'Wrong-Horse-7'), 'invalid_credentials')
  await logIn(app)
  expect(await storedHash()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  await logIn(app)
})

test.each([floor, { memoryCost: 32_768, timeCost: 3 }])(
  'an argon2id hash with %j, at least as strong as configured, is kept',
  async (parameters) => {
    const hash = await argon2(password, parameters)
    const { app, storedHash } = await userWith(hash)
    await logIn(app)
    expect(await storedHash()).toBe(hash)
  },
)

test('a password that breaks the current rules is accepted and rehashed unchanged', async () => {
  const plain = 'correcthorse'
  const { app, storedHash } = await userWith(await bcrypt(plain, 10))
  await logIn(app, 'alice', plain)
  expect(await storedHash()).toMatch(/^\$argon2id\$/)
  await logIn(app, 'alice', plain)
})

test('concurrent logins all succeed while the hash is rewritten', async () => {
  const { app } = await userWith(await bcrypt(password, 10))
  await Promise.all([logIn(app), logIn(app), logIn(app)])
  await logIn(app)
})

test('a failed login does not rewrite the hash', async () => {
  const hash = await bcrypt(password, 10)
  const { app, storedHash } = await userWith(hash)
  expectProblem(await tryLogIn(app, 'alice', 'Wrong-Horse-7'), 'invalid_credentials')
  expect(await storedHash()).toBe(hash)
})

// bcrypt reads 72 bytes only: with an existing bcrypt hash any ending would be accepted.
test('the first 72 bytes of a longer password are not accepted for a bcrypt hash', async () => {
  const longest = `Aa1-${'x'.repeat(68)}`
  const { app } = await userWith(await bcrypt(longest, 10))
  expectProblem(await tryLogIn(app, 'alice', `${longest}x`), 'invalid_credentials')
  await logIn(app, 'alice', longest)
})
