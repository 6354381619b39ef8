import { describe, expect, test } from 'vitest'
import { bearer, password, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { registerVerified, startSession, tokensIn } from '../support/flows.ts'
import { addFactor, pendingIn, registerWithFactor, sendCode } from '../support/made-up-factor.ts'
import { expectProblem } from '../support/problem.ts'

describe('requireMfa', () => {
  async function guarded() {
    const app = await createTestApp()
    const owners = addFactor()
    app.get('/payout', { onRequest: [app.requireUser, app.requireMfa] }, async () => ({ ok: true }))
    const ask = (token: string) => app.inject({ url: '/payout', headers: bearer(token) })
    return { app, owners, ask }
  }

  test('says that a user without a factor has to set one up', async () => {
    const { app, ask } = await guarded()
    await registerVerified(app)
    const { accessToken } = await startSession(app)
    const response = await ask(accessToken)
    expect(response.statusCode).toBe(403)
    expect(response.json()).toMatchObject({ code: 'mfa_needed', action: 'set_up' })
  })

  test('says that a user with a factor has to log in with it, and then lets them in', async () => {
    const { app, owners, ask } = await guarded()
    const { accessToken } = await registerWithFactor(app, owners)
    expect((await ask(accessToken)).json()).toMatchObject({ code: 'mfa_needed', action: 'log_in' })
    const { mfa_token } = pendingIn(await tryLogIn(app, 'alice', password))
    const tokens = tokensIn(await sendCode(app, mfa_token))
    expect((await ask(tokens.accessToken)).json()).toEqual({ ok: true })
  })
})

test('auth/mfa needs a login', async () => {
  const app = await createTestApp()
  expectProblem(await app.inject({ url: '/api/v1/auth/mfa' }), 'not_authenticated')
})

test('a login documents that it may ask for a second factor', async () => {
  const app = await createTestApp({ DOCS_ENABLED: 'true' })
  const { paths } = (await app.inject({ url: '/openapi.json' })).json()
  const codesOf = (path: string) =>
    JSON.stringify(paths[`/api/v1/auth/${path}`].post.responses['401'].content)
  expect(codesOf('login')).toContain('"mfa_required"')
  expect(codesOf('mfa')).toContain('"invalid_mfa_token"')
})
