import { expect, test } from 'vitest'
import { keptEmails } from '../../dev/mailbox/kept-emails.ts'
import { createTestApp } from '../support/app.ts'
import { createTestMailer, deliverDue } from '../support/mailer.ts'
import { queueStored } from '../support/stored-email.ts'

const [token, code] = ['Zz0_-aB9'.padEnd(43, 'k'), '0K1P-ABCD-8XYZ-7777']
const linkWith = (text: string) => `https://app.example.com/page#token=${text}`
const forLink = { username: 'alice', expiration_minutes: '10' }
const forCode = { username: 'alice', code, expiration_minutes: '10' }

/** The emails of both profiles whose templates or variables differ, as they are stored in the outbox. */
const emails: [template: string, variables: Record<string, string>][] = [
  ['verification_email', { verification_url: linkWith(token) }],
  ['reset_password_email', { reset_url: linkWith(token) }],
  ['undo_email_change', { username: 'alice', undo_url: linkWith(token) }],
  ['verification', { ...forCode, verification_url: linkWith(code) }],
  ['password_reset', { ...forCode, reset_url: linkWith(code) }],
  ['undo_email_change', { username: 'alice', code, undo_url: linkWith(code) }],
  ['confirm_email_change', { ...forLink, verification_url: linkWith(token) }],
  ['confirm_email_change', { ...forCode, verification_url: linkWith(code) }],
  ['email_restored', { ...forLink, reset_url: linkWith(token) }],
  ['email_restored', { ...forCode, reset_url: linkWith(code) }],
  ['welcome', { username: 'alice' }],
]

test.each(emails)('%s that waits at a switch of the profile is sent', async (template, variables) => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  await queueStored(app, template, variables)
  await deliverDue(app)
  const { verification_url, reset_url, undo_url, username = '' } = variables
  const [message] = mailer.sent
  expect(message?.to).toBe('user0@example.com')
  expect(message?.text).toContain(verification_url ?? reset_url ?? undo_url ?? username)
})

test.each(emails)('the mailbox shows %s from before a switch of the profile', async (template, variables) => {
  const app = await createTestApp()
  await queueStored(app, template, variables)
  const { verification_url: verification, reset_url: reset, undo_url: undo } = variables
  const link = verification ?? reset ?? undo
  expect(await keptEmails(app)).toMatchObject([
    { template, ...(link && { token: link.split('#token=')[1] }) },
  ])
})
