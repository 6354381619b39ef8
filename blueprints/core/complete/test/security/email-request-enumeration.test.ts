import { expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { mailRequests } from '../../src/db/schema/mail-requests.ts'
import { changeUser, comparable, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { handleRequests, post, registerVerified } from '../support/flows.ts'
import { emailedTokens } from '../support/mailbox.ts'
import { countStored } from '../support/stored.ts'

const addresses = [
  'unverified@example.com',
  'verified@example.com',
  'inactive@example.com',
  'nobody@example.com',
  'nobody@elsewhere.example',
]

async function createAppWithUsers() {
  const app = await createTestApp()
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
      await handleRequests(app)
    }
  },
)

// The work for a user takes longer. Of two requests sent at once, the one that finishes last would name a user.
test.each(['forgot-password', 'resend-verification'])(
  '%s only writes one row before it responds, the same for every address',
  async (path) => {
    const app = await createAppWithUsers()
    const stored = async () => [...(await app.db.read.select().from(attempts)), await countStored(app)]
    const before = await stored()
    await answersOf(app, path)
    expect(await stored()).toEqual(before)
    const kind = path === 'forgot-password' ? 'reset' : 'verification'
    const createdAt = new Date(app.now())
    const rows = await app.db.read.select().from(mailRequests).orderBy(mailRequests.id)
    expect(rows).toEqual(addresses.map((email) => ({ id: expect.any(Number), kind, email, createdAt })))
    for (const email of addresses) expect(await emailedTokens(app, 'reset', email)).toEqual([])
  },
)

test('the limits count the requests for every address in the same way', async () => {
  const app = await createAppWithUsers()
  await answersOf(app, 'forgot-password')
  const before = await app.db.read.$count(attempts)
  await handleRequests(app)
  // An email is counted only if it is queued: to both active users.
  expect((await app.db.read.$count(attempts)) - before).toBe(addresses.length + 2)
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
