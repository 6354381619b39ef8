import { expect, test } from 'vitest'
import type { Hashing } from '../../src/passwords/credentials.ts'
import { hashPassword, isUsableHash, unusablePassword } from '../../src/passwords/hashes.ts'
import { bearer, changeUser, comparable, logIn, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const argon2 = (parameters: string) =>
  `$argon2id$v=19$${parameters}$bim9V3g0iGdUNli6o0a/Iw$iyYNJuPxBbrJY4OuCqLgcSfy3HVlvzpz03CQ0TIHft4`
const bcrypt = (cost: string) => `$2b$${cost}$t2eqNluw1mBmxXW6UpOCR.kdEDoqFXt3l9ut8uGXbgpRgo7gRKUQW`

const damaged = [
  '',
  '!!',
  '5f4dcc3b5aa765d61d8327deb882cf99',
  '$argon2id$',
  argon2('m=64,t=1,p=1').slice(0, -5),
  argon2('m=64,t=1,p=1').slice(0, -44),
  argon2('m=0,t=0,p=0'),
  argon2('m=64,t=1'),
  '$2b$',
  bcrypt('12').slice(0, -1),
  `${bcrypt('12')}x`,
  bcrypt('12').replace('.k', '/k'),
  bcrypt('03'),
  bcrypt('99'),
]

/** Verifying one of these would take gigabytes, or hours. */
const extreme = [
  argon2('m=4194304,t=1,p=1'),
  argon2('m=4294967295,t=2147483648,p=1048576'),
  argon2('m=64,t=2147483648,p=1'),
  argon2('m=8388608,t=1,p=1048576'),
  argon2('m=1048576,t=1,p=131072'),
  bcrypt('31'),
]

/** An app with a user. `verified` has the hash of each verification, and every password is right. */
async function appWithUser() {
  const verified: string[] = []
  const hashing: Hashing = {
    hash: hashPassword,
    verify: async (_password, storedHash) => {
      verified.push(storedHash)
      return true
    },
  }
  const entries: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void entries.push(JSON.parse(line)) }
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' }, { stream }, { hashing })
  const { id } = await register(app)
  const token = await logIn(app)
  const events = () => entries.filter(({ event }) => event === 'password.unusable_hash')
  return { app, id, token, verified, entries, events }
}

/** Requests of a logged-in user that check the password. */
const checks = [
  { method: 'PUT', path: 'users/me', body: { email: 'new@example.com', current_password: password } },
] as const

// A tampered row must not end in 500, exhaust the machine, or be answered faster than an unknown name.
test.each([...damaged, ...extreme])('%j is a wrong password', async (hashedPassword) => {
  const { app, id, token, verified, entries, events } = await appWithUser()
  verified.length = 0
  const unknown = await tryLogIn(app, 'nobody', password)
  const dummies = verified.splice(0)
  await changeUser(app, id, { hashedPassword })

  const refused = await tryLogIn(app, 'alice', password)
  expectProblem(refused, 'invalid_credentials')
  expect(comparable(refused)).toEqual(comparable(unknown))
  for (const { method, path, body } of checks) {
    const response = await app.inject({ method, url: `/api/v1/${path}`, headers: bearer(token), body })
    expectProblem(response, 'wrong_current_password')
  }
  const refusals = 1 + checks.length
  expect(verified).toEqual(Array(refusals).fill(dummies).flat())
  expect(events()).toEqual(Array(refusals).fill(expect.objectContaining({ userId: id })))
  if (hashedPassword.length > 1) expect(JSON.stringify(entries)).not.toContain(hashedPassword)
})

test.each(damaged)('%j is refused by the libraries without an error', async (hashedPassword) => {
  const app = await createTestApp()
  const { id } = await register(app)
  await changeUser(app, id, { hashedPassword })
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
})

test.each([
  argon2('m=1048576,t=16,p=16'),
  argon2('m=64,t=1,p=1').replace('$v=19', ''),
  argon2('m=64,t=1,p=1').replace('argon2id', 'argon2i'),
  bcrypt('04'),
  bcrypt('16'),
  ...['$2$', '$2a$', '$2x$', '$2y$'].map((prefix) => bcrypt('12').replace('$2b$', prefix)),
])('%s is verified: no setting makes a hash that costs more', (storedHash) => {
  expect(isUsableHash(storedHash)).toBe(true)
})

// A user whose address was restored has no password until they set one.
test('no password matches a password that is unusable on purpose, and that is no event', async () => {
  const { app, id, token, verified, events } = await appWithUser()
  await changeUser(app, id, { hashedPassword: unusablePassword })
  verified.length = 0
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
  // Against a dummy, in a switched project one of each kind.
  expect(verified.length).toBeGreaterThan(0)
  for (const { method, path, body } of checks) {
    const response = await app.inject({ method, url: `/api/v1/${path}`, headers: bearer(token), body })
    expectProblem(response, 'wrong_current_password')
  }
  expect(events()).toEqual([])
})
