import { expect, test } from 'vitest'
import { emailTemplates } from '../support/email-templates.ts'

test('account_deleted needs no variable that it does not get', async () => {
  const { html, text } = (await emailTemplates()).render('account_deleted', { username: 'value-of-username' })
  expect(html + text).not.toContain('{{')
})
