import { verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'
import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, test } from 'vitest'
import type { Hashing } from '../../src/passwords/credentials.ts'
import { hashPassword, verifyHash } from '../../src/passwords/hashes.ts'
import { changeUser, comparable, password, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, shareTestApp, type TestApp } from '../support/app.ts'

/** What an attacker tries: description, login name, password. */
const guesses: [string, string, string][] = [
  ['a user, with a wrong password', 'alice', 'Wrong-Horse-7'],
  ['their email, with a wrong password', 'alice@example.com', 'Wrong-Horse-7'],
  ['an inactive user, with a wrong password', 'carol', 'Wrong-Horse-7'],
  ['an inactive user, with the right password', 'carol', password],
  ['an unknown username', 'nobody', 'Wrong-Horse-7'],
  ['an unknown email', 'nobody@example.com', 'Wrong-Horse-7'],
  ['an invalid username', '-', 'Wrong-Horse-7'],
  ['an empty username', '', 'Wrong-Horse-7'],
  ['a user, with an empty password', 'alice', ''],
  ['an unknown username, with a password over the maximum length', 'nobody', 'x'.repeat(1000)],
  ['a user, with a password over the maximum length', 'alice', 'x'.repeat(1000)],
]

async function addUsers(app: TestApp) {
  const alice = await register(app)
  const carol = await register(app, 'carol')
  await changeUser(app, carol.id, { isActive: false })
  return alice
}

test('every failed login gets the same response', async () => {
  const app = await createTestApp()
  await addUsers(app)
  const answers = await Promise.all(
    guesses.map(([, name, given], index) => tryLogIn(app, name, given, `192.0.2.${index}`)),
  )
  expect(answers[0]?.statusCode).toBe(401)
  for (const [index, answer] of answers.entries())
    expect(comparable(answer), guesses[index]?.[0]).toEqual(comparable(answers[0] as LightMyRequestResponse))
})

/** The algorithm and the cost of a hash. */
const costOf = (hash: unknown) => /^\$argon2id\$[^$]+\$[^$]+|^\$2[aby]\$\d\d/.exec(String(hash))?.[0]

/** Hashes with the libraries. `costs` has an entry for each hash that is created or verified. */
function countHashes() {
  const costs: unknown[] = []
  const libraries: Parameters<typeof verifyHash>[2] = {
    argon2: (...args) => {
      costs.push(costOf(args[0]))
      return verifyArgon2(...args)
    },
    bcrypt: (...args) => {
      costs.push(costOf(args[1]))
      return verifyBcrypt(...args)
    },
  }
  const hashing: Hashing = {
    async hash(...args) {
      const made = await hashPassword(...args)
      costs.push(costOf(made))
      return made
    },
    verify: (given, storedHash) => verifyHash(given, storedHash, libraries),
  }
  return { costs, hashing }
}

// A login with less hashing is faster: the response time would reveal who has an account.
describe('a failed login computes the same hashes for', async () => {
  const { costs, hashing } = countHashes()
  const app = await shareTestApp({ RATE_LIMIT_ENABLED: 'false' }, false, { hashing })
  const alice = await addUsers(app)

  test.each(guesses)('%s', async (_case, name, given) => {
    const expected: unknown[] = [costOf((await readUser(app, alice.id)).hashedPassword)]
    expect(expected).not.toContain(undefined)
    costs.length = 0
    expect((await tryLogIn(app, name, given)).statusCode).toBe(401)
    expect(costs).toEqual(expected)
  })
})

test('a taken username and a taken email get the same response', async () => {
  const app = await createTestApp()
  await register(app)
  const send = (username: string, email: string) =>
    app.inject({ method: 'POST', url: '/api/v1/auth/register', body: { username, email, password } })
  const answers = await Promise.all([
    send('alice', 'new@example.com'),
    send('new', 'alice@example.com'),
    send('alice', 'alice@example.com'),
  ])
  expect(answers[0]?.statusCode).toBe(409)
  for (const answer of answers)
    expect(comparable(answer)).toEqual(comparable(answers[0] as LightMyRequestResponse))
})
