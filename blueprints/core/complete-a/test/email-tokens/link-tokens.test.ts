import { expect, test } from 'vitest'
import { keptEmails } from '../../dev/mailbox/kept-emails.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { requestReset, resetPassword, verify } from '../support/flows.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

async function linksIn(app: TestApp) {
  await register(app)
  await requestReset(app)
  const [verification, reset] = await emailsTo(app)
  return [verification?.variables.verification_url, reset?.variables.reset_url]
}

test('the emails link to the pages at FRONTEND_URL, with 256 random bits in the fragment', async () => {
  const app = await createTestApp({ FRONTEND_URL: 'https://app.example.com' })
  const [verification, reset] = await linksIn(app)
  expect(verification).toMatch(/^https:\/\/app\.example\.com\/verify-email#token=[\w-]{43}$/)
  expect(reset).toMatch(/^https:\/\/app\.example\.com\/reset-password#token=[\w-]{43}$/)
})

test.each(['https://example.com/app', 'https://example.com/app/'])(
  'FRONTEND_URL may be below a path: %s',
  async (url) => {
    const app = await createTestApp({ FRONTEND_URL: url })
    const [verification] = await linksIn(app)
    expect(verification).toMatch(/^https:\/\/example\.com\/app\/verify-email#token=/)
  },
)

test('the verification email names the service', async () => {
  const app = await createTestApp({ EMAILS_FROM_NAME: 'My Service' })
  await register(app)
  expect((await keptEmails(app))[0]?.html).toContain('for an account at My Service.')
})

test.each<[string, (token: string) => string]>([
  ['in another case', (token) => token.toLowerCase()],
  ['with a space', (token) => ` ${token}`],
  ['with padding', (token) => `${token}=`],
  ['cut off', (token) => token.slice(0, -1)],
])('a token %s is refused', async (_case, change) => {
  const app = await createTestApp()
  await register(app)
  const token = await requestReset(app)
  expectProblem(await resetPassword(app, change(token)), 'invalid_or_expired_token')
  expectProblem(
    await verify(app, change(await emailedToken(app, 'verification'))),
    'invalid_or_expired_token',
  )
  expect((await resetPassword(app, token)).statusCode).toBe(200)
})
