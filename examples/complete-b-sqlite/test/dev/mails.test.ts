import { expect, test } from 'vitest'
import { logMails } from '../../dev/mails.ts'
import { register } from '../support/accounts.ts'
import { createDevelopmentApp } from '../support/development.ts'
import { smtpSettings } from '../support/mail-settings.ts'

test.each([
  [{}, 'mail to alice@… → http://localhost:3000/dev/mailbox'],
  [smtpSettings(25), 'mail to alice@… → the mail server'],
])('a mail is one line that says where it is, without the whole address', async (env, line) => {
  const { app, entries } = await createDevelopmentApp(() => {}, env, 'info', [logMails])
  await register(app, 'alice')
  expect(entries.map(({ msg }) => msg).filter((msg) => msg.startsWith('mail to '))).toEqual([line])
  expect(JSON.stringify(entries)).not.toContain('alice@example')
})
