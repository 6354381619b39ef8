import { expect, test } from 'vitest'
import { changeUser } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { confirmLogin, requestLogin } from '../support/email-login.ts'
import { tokensIn } from '../support/flows.ts'
import { addFactor, pendingIn, registerWithFactor, sendCode } from '../support/made-up-factor.ts'

async function withFactor(env: Record<string, string> = {}) {
  const app = await createTestApp(env)
  const owners = addFactor()
  return { app, owners, user: await registerWithFactor(app, owners) }
}

// Whoever reads the mailbox would need no second factor.
test('a user with a second factor is asked for it, and the token is used up', async () => {
  const { app } = await withFactor({ RATE_LIMIT_TOKEN_FAILURES: '1' })
  const token = await requestLogin(app)
  const { mfa_token } = pendingIn(await confirmLogin(app, token))
  // A login that lacks only the factor is no wrong token.
  expect((await confirmLogin(app, token)).statusCode).toBe(400)
  expect(tokensIn(await sendCode(app, mfa_token)).accessToken).not.toBe('')
})

test('the first proof of an address removes the factors of whoever registered it', async () => {
  const { app, owners, user } = await withFactor()
  await changeUser(app, user.id, { isVerified: false })
  expect((await confirmLogin(app, await requestLogin(app))).statusCode).toBe(200)
  expect(owners.size).toBe(0)
})

test('the session says that it was no password, and the document says that a factor may be asked for', async () => {
  const { app, owners } = await withFactor({ DOCS_ENABLED: 'true' })
  owners.clear()
  const { accessToken } = tokensIn(await confirmLogin(app, await requestLogin(app)))
  expect(app.ctx.accessTokens.verify(accessToken).payload).not.toHaveProperty('amr')
  const { paths } = (await app.inject({ url: '/openapi.json' })).json()
  const { responses } = paths['/api/v1/auth/email-login/confirm'].post
  expect(JSON.stringify(responses['401'].content)).toContain('"mfa_required"')
})
