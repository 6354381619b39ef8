import { expect, test } from 'vitest'
import { findEmailToken } from '../../src/email/tokens.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { forgotPassword } from '../support/flows.ts'
import { emailedTokens } from '../support/mailbox.ts'

/** Whether the newest emailed token of the owner is valid. */
async function holdsValidToken(app: TestApp): Promise<boolean> {
  const token = (await emailedTokens(app, 'reset')).at(-1) ?? ''
  return (await findEmailToken(app.ctx, app.db.read, 'reset', token)) !== undefined
}

// With a longer window than the lifetime of the token, five requests of a stranger denied the owner a reset for 26
// minutes of every hour.
test.each(['5', '1'])(
  "a stranger's requests never leave the owner without a token: RATE_LIMIT_MAILS=%s",
  async (RATE_LIMIT_MAILS) => {
    const app = await createTestApp({ RATE_LIMIT_MAILS })
    await register(app)
    const denied: number[] = []
    for (let second = 0; second < 2 * 60 * 60; second += 42) {
      if (!(await holdsValidToken(app))) await forgotPassword(app)
      if (!(await holdsValidToken(app))) denied.push(second)
      // The stranger.
      await forgotPassword(app)
      app.clock.advance(42)
    }
    expect(denied).toEqual([])
  },
)

test('a request beyond the limit does not revoke the last token', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0' })
  await register(app)
  for (let time = 0; time < 8; time += 1) await forgotPassword(app)
  expect(await emailedTokens(app, 'reset')).toHaveLength(5)
  expect(await holdsValidToken(app)).toBe(true)
})
