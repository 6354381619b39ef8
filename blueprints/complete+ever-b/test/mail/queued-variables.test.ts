import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { createTestMailer, deliverDue } from '../support/mailer.ts'
import { queueStored } from '../support/stored-mail.ts'

const FRONTEND_URL = 'https://app.example.com'
const code = '0K1P-ABCD-8XYZ-7777'
const forCode = { username: 'alice', code, expiration_minutes: '10' }

/** The mails of version 0.1.0 with all variables that it queued, and the page that the mail links to today. */
const mails: [template: string, variables: Record<string, string>, page?: string][] = [
  ['verification', forCode, 'verify-email'],
  ['password_reset', forCode, 'reset-password'],
  ['welcome', { username: 'alice' }],
  ['email_changed', { username: 'alice' }],
  ['password_changed', { username: 'alice' }],
]

test.each(mails)('%s that version 0.1.0 queued is sent', async (template, variables, page) => {
  const mailer = createTestMailer()
  const app = await createTestApp({ FRONTEND_URL }, false, { mailer })
  await queueStored(app, template, variables)
  await deliverDue(app)
  const [message] = mailer.sent
  expect(message?.to).toBe('user0@example.com')
  expect(message?.text).toContain(page ? `${FRONTEND_URL}/${page}#token=${code}` : 'alice')
})

test.each(mails)('the mailbox shows %s that version 0.1.0 queued', async (template, variables, page) => {
  const app = await createTestApp()
  await queueStored(app, template, variables)
  const { messages } = (await app.inject({ url: '/dev/mailbox/messages' })).json()
  expect(messages).toMatchObject([{ template, ...(page && { token: code }) }])
})
