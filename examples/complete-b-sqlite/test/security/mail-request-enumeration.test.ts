import { expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { changeUser, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { comparable } from '../support/comparable.ts'
import { post, registerVerified } from '../support/flows.ts'

const addresses = [
  'unverified@example.com',
  'verified@example.com',
  'inactive@example.com',
  'nobody@example.com',
  'nobody@elsewhere.example',
]

async function createAppWithUsers(env: Record<string, string> = {}) {
  const app = await createTestApp(env)
  await register(app, 'unverified')
  await registerVerified(app, 'verified')
  const { id } = await register(app, 'inactive')
  await changeUser(app, id, { isActive: false })
  return app
}

/** The responses for all addresses, one after another. */
async function answersOf(app: TestApp, path: string) {
  const answers = []
  for (const email of addresses) answers.push(comparable(await post(app, path, { email })))
  return answers
}

test.each(['forgot-password', 'resend-verification'])(
  '%s returns the same status, headers and body for every address',
  async (path) => {
    const app = await createAppWithUsers()
    // Repeated, so that the limits are reached too.
    for (const seconds of [0, 0, 60, 60, 60, 60, 60]) {
      app.clock.advance(seconds)
      const [first, ...others] = await answersOf(app, path)
      expect(first?.statusCode).toBe(202)
      for (const other of others) expect(other).toEqual(first)
    }
  },
)

// Without the write the response would be faster.
test.each([
  ['forgot-password', 'true'],
  ['forgot-password', 'false'],
  ['resend-verification', 'true'],
  ['resend-verification', 'false'],
])('%s counts every address in the same way, RATE_LIMIT_ENABLED=%s', async (path, RATE_LIMIT_ENABLED) => {
  const app = await createAppWithUsers({ RATE_LIMIT_ENABLED })
  await answersOf(app, path)
  const counts = await app.db.read.select({ count: attempts.count, endsAt: attempts.endsAt }).from(attempts)
  expect(counts).toHaveLength(2 * addresses.length)
  expect(new Set(counts.map((count) => JSON.stringify(count))).size).toBe(2)
})

test.each([
  ['verify-email', { token: 'nonsense' }],
  ['reset-password', { token: 'nonsense', new_password: 'New-Horse-8' }],
])('%s does not reveal whether a token has expired or never existed', async (path, body) => {
  const app = await createAppWithUsers()
  const [first, ...others] = [
    comparable(await post(app, path, body)),
    comparable(await post(app, path, { ...body, token: '' })),
    comparable(await post(app, path, { ...body, token: 'A'.repeat(43) })),
    comparable(await post(app, path, { ...body, token: '0000-0000-0000-0000' })),
  ]
  expect(first?.statusCode).toBe(400)
  for (const other of others) expect(other).toEqual(first)
})
