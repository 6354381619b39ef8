import { expect, test } from 'vitest'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { forgotPassword } from '../support/flows.ts'
import { mailedTokens } from '../support/mailbox.ts'

const queue = (app: TestApp, max?: number) =>
  app.db.transaction((tx) =>
    app.mail.outbox.enqueue(tx, {
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

test('a mail has the limit of RATE_LIMIT_MAILS, or its own', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAILS: '2' })
  expect(await queuedOf(app, 3)).toBe(2)
  expect(await queuedOf(app, 3, 4)).toBe(2)
  app.clock.advance(60 * 60)
  expect(await queuedOf(app, 3, 1)).toBe(1)
})

// A digest must not keep a user from a reset.
test('a user who has had enough mails of one template still gets the others', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAILS: '1' })
  await register(app)
  expect(await queuedOf(app, 30, 20)).toBe(20)
  await forgotPassword(app)
  expect(await mailedTokens(app, 'reset')).toHaveLength(1)
})
