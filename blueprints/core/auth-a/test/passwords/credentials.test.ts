import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { expect, test } from 'vitest'
import { changeUser, logIn, password, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'
import { realHashes } from '../support/settings.ts'

/** Creates a user with an existing hash, such as from another service. */
async function userWith(hashedPassword: string, env: Record<string, string> = realHashes) {
  const app = await createTestApp(env)
  const { id } = await register(app)
  await changeUser(app, id, { hashedPassword })
  return { app, storedHash: async () => (await readUser(app, id)).hashedPassword }
}

const argon2Floor = { memoryCost: 19_456, timeCost: 2 }

test('a password is stored as a bcrypt hash with the configured cost', async () => {
  const app = await createTestApp({ BCRYPT_COST: '11' })
  const { id } = await register(app)
  expect((await readUser(app, id)).hashedPassword).toMatch(/^\$2[aby]\$11\$/)
})

test.each([
  ['a bcrypt hash of a lower cost', () => bcrypt(password, 10)],
  ['an argon2id hash', () => argon2(password, argon2Floor)],
])('%s is accepted, and the login rewrites it', async (_case, makeHash) => {
  const { app, storedHash } = await userWith(await makeHash(), { BCRYPT_COST: '11' })
  expectProblem(await tryLogIn(app, 'alice', 'Wrong-Horse-7'), 'invalid_credentials')
  await logIn(app)
  expect(await storedHash()).toMatch(/^\$2[aby]\$11\$/)
  await logIn(app)
})

test.each([10, 11])('a bcrypt hash of cost %i, at least as strong as configured, is kept', async (cost) => {
  const hash = await bcrypt(password, cost)
  const { app, storedHash } = await userWith(hash)
  await logIn(app)
  expect(await storedHash()).toBe(hash)
})

test('a password that breaks the current rules is accepted and rehashed unchanged', async () => {
  const plain = 'correcthorse'
  const { app, storedHash } = await userWith(await argon2(plain, argon2Floor))
  await logIn(app, 'alice', plain)
  expect(await storedHash()).toMatch(/^\$2[aby]\$/)
  await logIn(app, 'alice', plain)
})

test('concurrent logins all succeed while the hash is rewritten', async () => {
  const { app } = await userWith(await argon2(password, argon2Floor))
  await Promise.all([logIn(app), logIn(app), logIn(app)])
  await logIn(app)
})

test('a failed login does not rewrite the hash', async () => {
  const hash = await argon2(password, argon2Floor)
  const { app, storedHash } = await userWith(hash)
  expectProblem(await tryLogIn(app, 'alice', 'Wrong-Horse-7'), 'invalid_credentials')
  expect(await storedHash()).toBe(hash)
})

test('a password too long for bcrypt keeps its argon2id hash', async () => {
  const long = `Correct-Horse-7-${'x'.repeat(80)}`
  const hash = await argon2(long, argon2Floor)
  const { app, storedHash } = await userWith(hash)
  await logIn(app, 'alice', long)
  expect(await storedHash()).toBe(hash)
})
