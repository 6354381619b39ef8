import { expect, test } from 'vitest'
import { mailRequests } from '../../src/db/schema/mail-requests.ts'
import { logIn, putMe, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { handleMailRequests, post } from '../support/flows.ts'
import { mailedTokens, mailsTo } from '../support/mailbox.ts'

test('a flood of requests for one address takes one row per kind', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAIL_REQUESTS: '1000' })
  await register(app)
  const flood = ['alice@example.com', 'ALICE@example.com'].flatMap((email) => Array(20).fill({ email }))
  await Promise.all(flood.map((body) => post(app, 'forgot-password', body)))
  await Promise.all(flood.map((body) => post(app, 'resend-verification', body)))
  expect(await app.db.read.$count(mailRequests)).toBe(2)
  await handleMailRequests(app)
  expect(await mailedTokens(app, 'reset')).toHaveLength(1)
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
  expect(await mailsTo(app, 'victim@example.com')).toHaveLength(5)

  app.clock.advance(60 * 60)
  const later = await logIn(app, 'mallory')
  await putMe(app, later, { email: 'victim@example.com' })
  expect(await mailsTo(app, 'victim@example.com')).toHaveLength(6)
})
