import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, test } from 'vitest'
import { changeUser, password, register, tryLogIn } from '../accounts.ts'
import { createTestApp, shareTestApp, type TestApp } from '../app.ts'
import { realHashes } from '../settings.ts'
import { comparable } from './comparable.ts'

/** Names that an attacker tries, and the user that each of them meets. */
const guesses: [string, string, string][] = [
  ['a user, with a wrong password', 'alice', 'Wrong-Horse-7'],
  ['his email, with a wrong password', 'alice@example.com', 'Wrong-Horse-7'],
  ['an inactive user, with a wrong password', 'carol', 'Wrong-Horse-7'],
  ['an inactive user, with the right password', 'carol', password],
  ['nobody', 'nobody', 'Wrong-Horse-7'],
  ["nobody's email", 'nobody@example.com', 'Wrong-Horse-7'],
  ['a name that nobody can have', '-', 'Wrong-Horse-7'],
  ['no name', '', 'Wrong-Horse-7'],
  ['a user, with no password', 'alice', ''],
  ['nobody, with a password that is too long to be one', 'nobody', 'x'.repeat(1000)],
  ['a user, with a password that is too long to be one', 'alice', 'x'.repeat(1000)],
]

async function addUsers(app: TestApp) {
  await register(app)
  const carol = await register(app, 'carol')
  await changeUser(app, carol.id, { isActive: false })
}

test('a failed login looks the same whoever was meant', async () => {
  const app = await createTestApp()
  await addUsers(app)
  const answers = await Promise.all(
    guesses.map(([, name, given], index) => tryLogIn(app, name, given, `192.0.2.${index}`)),
  )
  expect(answers[0]?.statusCode).toBe(401)
  for (const [index, answer] of answers.entries())
    expect(comparable(answer), guesses[index]?.[0]).toEqual(comparable(answers[0] as LightMyRequestResponse))
})

describe('a failed login costs one hash for', async () => {
  const app = await shareTestApp({
    ...realHashes,
    HASH_CONCURRENCY: '1',
    HASH_QUEUE: '1',
    RATE_LIMIT_ENABLED: 'false',
  })
  await addUsers(app)

  // With room for one hash and one more in the queue, the third login at once is refused exactly if each makes a hash.
  test.each(guesses)('%s', async (_case, name, given) => {
    // The connections to the database that three requests need are there before: the three arrive at once.
    await Promise.all([0, 1, 2].map(() => app.inject({ url: '/health/ready' })))
    const answers = await Promise.all([0, 1, 2].map((host) => tryLogIn(app, name, given, `192.0.2.${host}`)))
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([401, 401, 503])
  })
})

test('a taken username and a taken email are refused in the same words', async () => {
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
