import { expect, test } from 'vitest'
import { mailRequests } from '../../src/db/schema/mail-requests.ts'
import { queueEmail } from '../../src/email/outbox.ts'
import { logIn, putMe, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { forgotPassword, handleRequests, post } from '../support/flows.ts'
import { emailedTokens, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

test('a flood of requests for one address takes one row per kind', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAIL_REQUESTS: '1000' })
  await register(app)
  const flood = ['alice@example.com', 'ALICE@example.com'].flatMap((email) => Array(20).fill({ email }))
  await Promise.all(flood.map((body) => post(app, 'forgot-password', body)))
  await Promise.all(flood.map((body) => post(app, 'resend-verification', body)))
  expect(await app.db.read.$count(mailRequests)).toBe(2)
  await handleRequests(app)
  expect(await emailedTokens(app, 'reset')).toHaveLength(1)
})

// Mallory needs no more than one account of their own to fill a stranger's mailbox.
test('requests for the address of a victim email them 5 times, and are refused after that', async () => {
  const app = await createTestApp({ RATE_LIMIT_EMAIL_CHANGES: '1000' })
  await register(app, 'mallory')
  const token = await logIn(app, 'mallory')
  const statuses: number[] = []
  for (let time = 0; time < 20; time += 1)
    statuses.push((await putMe(app, token, { email: 'victim@example.com' })).statusCode)
  expect(statuses).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
  expect(await emailsTo(app, 'victim@example.com')).toHaveLength(5)

  app.clock.advance(60 * 60)
  const later = await logIn(app, 'mallory')
  await putMe(app, later, { email: 'victim@example.com' })
  expect(await emailsTo(app, 'victim@example.com')).toHaveLength(6)
})

const send = (app: TestApp, path: string, number: number, remoteAddress = '192.0.2.1') =>
  app.inject({
    method: 'POST',
    url: `/api/v1/auth/${path}`,
    remoteAddress,
    body: { email: `user${number}@example.com` },
  })

// Each request costs a write, and one client could email every user.
test('requests for emails of both kinds share a limit of 20 per client address and minute', async () => {
  const app = await createTestApp()
  for (let number = 0; number < 10; number += 1) {
    expect((await send(app, 'forgot-password', number)).statusCode).toBe(202)
    expect((await send(app, 'resend-verification', number)).statusCode).toBe(202)
  }
  for (const path of ['forgot-password', 'resend-verification']) {
    const response = await send(app, path, 20)
    expectProblem(response, 'too_many_requests')
    expect(response.headers['retry-after']).toBe('60')
    expect((await send(app, path, 20, '192.0.2.2')).statusCode).toBe(202)
  }
  app.clock.advance(60)
  expect((await send(app, 'forgot-password', 20)).statusCode).toBe(202)
})

test('RATE_LIMIT_ENABLED=false turns the limit off', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAIL_REQUESTS: '1', RATE_LIMIT_ENABLED: 'false' })
  for (let number = 0; number < 3; number += 1)
    expect((await send(app, 'forgot-password', number)).statusCode).toBe(202)
})

const queue = (app: TestApp, max?: number) =>
  app.db.transaction((tx) =>
    queueEmail(app.ctx, tx, {
      to: 'alice@example.com',
      template: 'password_changed',
      variables: { username: 'alice' },
      ...(max !== undefined && { max }),
    }),
  )

async function queuedOf(app: TestApp, tried: number, max?: number) {
  let queued = 0
  for (let number = 0; number < tried; number += 1) if (await queue(app, max)) queued += 1
  return queued
}

test('an email has the limit of RATE_LIMIT_MAILS, or its own', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAILS: '2' })
  expect(await queuedOf(app, 3)).toBe(2)
  expect(await queuedOf(app, 3, 4)).toBe(2)
  app.clock.advance(60 * 60)
  expect(await queuedOf(app, 3, 1)).toBe(1)
})

// A digest must not keep a user from a reset.
test('a user who has had enough emails of one template still gets the others', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAILS: '1' })
  await register(app)
  expect(await queuedOf(app, 30, 20)).toBe(20)
  await forgotPassword(app)
  expect(await emailedTokens(app, 'reset')).toHaveLength(1)
})
