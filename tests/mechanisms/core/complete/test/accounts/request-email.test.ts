import { expect, test } from 'vitest'
import { mailRequests } from '../../src/db/schema/mail-requests.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { handleRequests, post } from '../support/flows.ts'
import { emailedTokens } from '../support/mailbox.ts'
import { createPeer, createTestMailer } from '../support/mailer.ts'

const hour = 60 * 60

const request = (app: TestApp, email = 'alice@example.com', path = 'forgot-password') =>
  post(app, path, { email })

const waiting = (app: TestApp) => app.db.read.$count(mailRequests)

const resets = async (app: TestApp, email?: string) => (await emailedTokens(app, 'reset', email)).length

test('a request waits until it is handled, also by another instance or after a restart', async () => {
  const app = await createTestApp()
  await register(app)
  await request(app)
  expect([await waiting(app), await resets(app)]).toEqual([1, 0])
  const restarted = await createPeer(app, createTestMailer())
  await handleRequests(restarted)
  expect([await waiting(app), await resets(app)]).toEqual([0, 1])
})

test('two instances handle no request twice', async () => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const peer = await createPeer(app, createTestMailer(), { RATE_LIMIT_ENABLED: 'false' })
  const emails = Array.from({ length: 10 }, (_, index) => `user${index}@example.com`)
  for (const email of emails) {
    await register(app, email.split('@')[0])
    await request(app, email)
  }
  await Promise.all([handleRequests(app), handleRequests(peer)])
  for (const email of emails) expect(await resets(app, email)).toBe(1)
  expect(await waiting(app)).toBe(0)
})

test('a request that cannot be handled waits, changes nothing, and does not stop those after it', async () => {
  const app = await createTestApp()
  await register(app)
  await register(app, 'bob')
  const { listeners } = app.ctx.outbox
  listeners.push(({ to }) => {
    if (to === 'alice@example.com') throw new Error('broken template')
  })
  await request(app)
  await request(app, 'bob@example.com')
  await expect(handleRequests(app)).rejects.toThrow('broken template')
  expect([await waiting(app), await resets(app), await resets(app, 'bob@example.com')]).toEqual([1, 0, 1])
  listeners.pop()
  await handleRequests(app)
  expect([await waiting(app), await resets(app)]).toEqual([0, 1])
})

test('a request that has waited for more than an hour is dropped: the user has given up', async () => {
  const app = await createTestApp()
  await register(app)
  await request(app)
  app.clock.advance(hour)
  await request(app, 'alice@example.com', 'resend-verification')
  app.clock.advance(1)
  await handleRequests(app)
  expect([await waiting(app), await resets(app)]).toEqual([0, 0])
  expect(await emailedTokens(app, 'verification')).toHaveLength(2)
})

test('a request for an email of an add-on that was removed is dropped', async () => {
  const app = await createTestApp()
  await register(app)
  await request(app)
  await app.db.transaction(async (tx) => void (await tx.update(mailRequests).set({ kind: 'of_no_add_on' })))
  await handleRequests(app)
  expect(await waiting(app)).toBe(0)
})
