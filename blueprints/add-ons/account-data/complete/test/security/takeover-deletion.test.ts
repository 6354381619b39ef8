import { expect, test } from 'vitest'
import { deleteMe } from '../support/account-data.ts'
import { logIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { registerVerified } from '../support/flows.ts'

test('a thief who has changed the address cannot delete the account, and with it the way back', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const token = await logIn(app)
  await changeEmail(app, token, 'thief@example.com')
  const refused = await deleteMe(app, token)
  expect([refused.statusCode, refused.json()]).toEqual([
    409,
    expect.objectContaining({
      title: 'Email change can be undone',
      code: 'email_change_can_be_undone',
      detail: 'Email change can be undone until 2026-01-08T12:00:00.250Z',
    }),
  ])
  app.clock.advance(7 * 24 * 60 * 60)
  expect((await deleteMe(app, await logIn(app))).statusCode).toBe(204)
})
