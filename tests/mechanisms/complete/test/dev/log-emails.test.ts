import { expect, test } from 'vitest'
import { logEmails } from '../../dev/log-emails.ts'
import { register } from '../support/accounts.ts'
import { createDevelopmentApp } from '../support/development.ts'
import { smtpSettings } from '../support/email-settings.ts'

test.each([
  [{}, 'email to alice@… → http://localhost:3000/dev/mailbox'],
  [smtpSettings(25), 'email to alice@… → the mail server'],
])('an email is one line that says where it is, without the whole address', async (env, line) => {
  const { app, entries } = await createDevelopmentApp(() => {}, env, 'info', [logEmails])
  await register(app, 'alice')
  expect(entries.map(({ msg }) => msg).filter((msg) => msg.startsWith('email to '))).toEqual([line])
  expect(JSON.stringify(entries)).not.toContain('alice@example')
})
