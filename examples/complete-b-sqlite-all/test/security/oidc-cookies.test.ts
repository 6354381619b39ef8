import { expect, test } from 'vitest'
import { getMe } from '../support/accounts.ts'
import { browse, cookieIn, logInForCookie, ownOrigin } from '../support/cookies.ts'
import { registerVerified, tokensIn } from '../support/flows.ts'
import { emailedCode } from '../support/made-up-factor.ts'
import {
  appWithProvider,
  begin,
  callback,
  challengeOf,
  cookieOf,
  createVerifier,
  fragmentOf,
  locationOf,
  visit,
} from '../support/oidc.ts'
import { expectProblem } from '../support/problem.ts'
import { storedSessions } from '../support/stored.ts'

type Sent = Parameters<typeof browse>[1]

const exchange = (
  app: Parameters<typeof browse>[0],
  code: string | undefined,
  code_verifier: string,
  more: Partial<Sent> = {},
) =>
  browse(app, {
    method: 'POST',
    url: 'auth/oidc/exchange?use_cookies=true',
    body: { code, code_verifier },
    ...more,
  })

test('the exchange sets a cookie, which ends the session of the one before', async () => {
  const { app, provider } = await appWithProvider()
  await registerVerified(app)
  const before = cookieIn(await logInForCookie(app))
  const { code, verifier } = await visit(app, provider)
  const answer = await exchange(app, code, verifier, { cookie: before })
  expect(answer.body).toBe('')
  const me = await browse(app, { url: 'users/me', cookie: cookieIn(answer) })
  expect(me.json()).toMatchObject({ username: 'olga' })
  expectProblem(await browse(app, { url: 'users/me', cookie: before }), 'invalid_token')
  expect(await storedSessions(app)).toHaveLength(1)
})

test('a sign-in that asks for tokens gets them, also beside the cookie of a session', async () => {
  const { app, provider } = await appWithProvider()
  await registerVerified(app)
  const cookie = cookieIn(await logInForCookie(app))
  const { code, verifier } = await visit(app, provider)
  const answer = await exchange(app, code, verifier, { cookie, url: 'auth/oidc/exchange' })
  expect(answer.headers['set-cookie']).toBeUndefined()
  const { accessToken } = tokensIn(answer)
  expect((await getMe(app, accessToken)).json()).toMatchObject({ username: 'olga' })
})

test('a cookie whose session is over does not keep a user from signing in', async () => {
  const { app, provider } = await appWithProvider()
  const { code, verifier } = await visit(app, provider)
  expect((await exchange(app, code, verifier, { cookie: 'session=over' })).statusCode).toBe(204)
})

// Login CSRF: a page elsewhere exchanges the code of its owner in the browser of a user.
test('a page of another site gets no cookie for a code, which stays unused', async () => {
  const { app, provider } = await appWithProvider()
  const { code, verifier } = await visit(app, provider)
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  expectProblem(await exchange(app, code, verifier, { headers }), 'cross_site_request')
  expect((await exchange(app, code, verifier)).statusCode).toBe(204)
})

test('the cookie of the session that asked adds an account, and no other does', async () => {
  const { app, provider } = await appWithProvider()
  await registerVerified(app)
  const cookie = cookieIn(await logInForCookie(app))
  const verifier = createVerifier()
  const asked = { code_challenge: challengeOf(verifier) }
  const link = (body: object) => browse(app, { method: 'POST', url: 'auth/oidc/acme/link', cookie, body })
  expectProblem(await link(asked), 'emailed_token_required')
  const { url } = (await link({ ...asked, emailed_token: await emailedCode(app) })).json()
  const opened = await app.inject({ url, headers: { cookie } })
  const jar = `${cookie}; ${cookieOf(opened)}`
  const { code } = fragmentOf(await callback(app, provider.authorize(locationOf(opened)), jar))

  await registerVerified(app, 'bob')
  const others = cookieIn(await logInForCookie(app, {}, 'bob'))
  expectProblem(await exchange(app, code, verifier, { cookie: others }), 'invalid_token')
  expectProblem(await exchange(app, code, verifier), 'not_authenticated')
  const elsewhere = { cookie, headers: { ...ownOrigin, 'sec-fetch-site': 'same-site' } }
  expectProblem(await exchange(app, code, verifier, elsewhere), 'cross_site_request')
  const answer = await exchange(app, code, verifier, { cookie, url: 'auth/oidc/exchange' })
  expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([204, undefined])
  const { identities } = (await browse(app, { url: 'auth/identities', cookie })).json()
  expect(identities).toMatchObject([{ provider: 'acme' }])
})

test('the cookie of a flow is no session, and that of a session is no flow', async () => {
  const { app, provider } = await appWithProvider()
  await registerVerified(app)
  const session = cookieIn(await logInForCookie(app))
  const { cookie, query } = await begin(app, provider)
  const [, value = ''] = cookie.split('=')
  expectProblem(await browse(app, { url: 'users/me', cookie }), 'not_authenticated')
  expectProblem(await browse(app, { url: 'users/me', cookie: `session=${value}` }), 'invalid_token')
  expect(fragmentOf(await callback(app, query, session))).toEqual({ error: 'invalid_answer' })
})
