import { expect, test } from 'vitest'
import { mailTemplates } from '../support/mail-templates.ts'

test('account_deleted needs no variable that it does not get', async () => {
  const { html, text } = (await mailTemplates()).render('account_deleted', { username: 'value-of-username' })
  expect(html + text).not.toContain('{{')
})
