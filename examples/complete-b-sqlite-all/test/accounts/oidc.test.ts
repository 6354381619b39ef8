import { expect, test } from 'vitest'
import { bearer, getMe, putMe, readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { tokensIn, verify } from '../support/flows.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'
import {
  appWithProvider,
  begin,
  callback,
  challengeOf,
  exchange,
  fragmentOf,
  listIdentities,
  locationOf,
  open,
  signedIn,
  signIn,
  visit,
} from '../support/oidc.ts'
import { expectProblem } from '../support/problem.ts'
import { settingsOf, startProvider } from '../support/provider.ts'

test('without providers, the list is empty and the routes are not there', async () => {
  const app = await createTestApp()
  expect((await app.inject('/api/v1/auth/oidc')).json()).toEqual({ providers: [] })
  expectProblem(await open(app, { code_challenge: challengeOf('') }, 'google'), 'not_found')
})

test('a new user is created with the name and the address that the provider vouches for', async () => {
  const { app, provider } = await appWithProvider()
  const accessToken = await signedIn(app, provider)
  const me = (await getMe(app, accessToken)).json()
  expect(me).toMatchObject({ username: 'olga', email: 'olga@example.com', is_verified: true })
  expect((await readUser(app, me.id)).hashedPassword).toBe('!')
  expect(await listIdentities(app, accessToken)).toEqual([
    { id: 1, provider: 'acme', email: 'olga@example.com', created_at: expect.any(String) },
  ])
  expect(app.ctx.accessTokens.verify(accessToken).payload).not.toHaveProperty('amr')
})

test('the next sign-in is the same user, whatever address the provider names by then', async () => {
  const { app, provider } = await appWithProvider()
  const first = (await getMe(app, await signedIn(app, provider))).json()
  provider.account = { ...provider.account, email: 'new@example.com', preferred_username: 'new' }
  expect((await getMe(app, await signedIn(app, provider))).json()).toEqual(first)
})

test('a sign-in is a recent login', async () => {
  const { app, provider } = await appWithProvider()
  const accessToken = await signedIn(app, provider)
  expect((await putMe(app, accessToken, { email: 'new@example.com' })).statusCode).toBe(200)
  app.clock.advance(11 * 60)
  expectProblem(await putMe(app, accessToken, { email: 'other@example.com' }), 'reauthentication_required')
})

test('the path of the front end comes back, with a code or an error', async () => {
  const { app, provider } = await appWithProvider({ FRONTEND_URL: 'https://app.example.com/shop/' })
  const { cookie, query } = await begin(app, provider, { return_to: '/orders?page=2' })
  const answer = await callback(app, query, cookie)
  expect(locationOf(answer)).toMatch(/^https:\/\/app\.example\.com\/shop\/sign-in#code=/)
  expect(fragmentOf(answer)).toEqual({
    code: expect.stringMatching(/^[\w-]{43}$/),
    return_to: '/orders?page=2',
  })
  provider.lies.answer = (right) =>
    new URLSearchParams({ state: right.get('state') ?? '', error: 'access_denied', iss: provider.origin })
  const denied = await begin(app, provider, { return_to: '/orders' })
  expect(fragmentOf(await callback(app, denied.query, denied.cookie))).toEqual({
    error: 'access_denied',
    return_to: '/orders',
  })
})

test('the provider gets the address of OIDC_CALLBACK_BASE, the scopes and PKCE', async () => {
  const { app } = await appWithProvider({
    OIDC_CALLBACK_BASE: 'https://api.example.com/v',
    OIDC_ACME_SCOPES: 'openid',
  })
  const started = await open(app, { code_challenge: challengeOf('') })
  expect(Object.fromEntries(new URL(locationOf(started)).searchParams)).toMatchObject({
    response_type: 'code',
    redirect_uri: 'https://api.example.com/v/api/v1/auth/oidc/acme/callback',
    scope: 'openid',
    code_challenge_method: 'S256',
  })
})

test('an address that the provider does not vouch for is verified by an email', async () => {
  const { app, provider } = await appWithProvider({
    OIDC_ACME_EMAIL_TRUSTED: '',
    LOGIN_REQUIRES_VERIFIED_EMAIL: 'true',
  })
  const accessToken = await signedIn(app, provider)
  const list = () => app.inject({ url: '/api/v1/auth/identities', headers: bearer(accessToken) })
  expectProblem(await list(), 'user_not_verified')
  expect(
    (await verify(app, await emailedToken(app, 'verification', 'olga@example.com'), accessToken)).statusCode,
  ).toBe(200)
  expect((await list()).statusCode).toBe(200)
})

test('an address that counts as verified gets no email to verify it', async () => {
  const { app, provider } = await appWithProvider()
  await signIn(app, provider)
  expect((await emailsTo(app, 'olga@example.com')).map(({ template }) => template)).not.toContain(
    'verification',
  )
})

test('a provider without userinfo, and one that puts all into the id_token, are asked no further', async () => {
  const { app, provider } = await appWithProvider()
  await signIn(app, provider)
  expect(provider.requests.map(({ url }) => url)).not.toContain('/userinfo')
})

test('what the id_token lacks comes from userinfo', async () => {
  const { app, provider } = await appWithProvider()
  provider.lies.claims = ({ email: _email, email_verified: _verified, preferred_username: _name, ...rest }) =>
    rest
  const accessToken = await signedIn(app, provider)
  expect((await getMe(app, accessToken)).json()).toMatchObject({ username: 'olga', is_verified: true })
})

test('a provider that is down does not stop the start, and works when it is back', async () => {
  const provider = await startProvider()
  provider.lies.respond = (_request, response) => Boolean(response.writeHead(503).end())
  const app = await createTestApp(settingsOf(provider))
  const answer = await open(app, { code_challenge: challengeOf(''), return_to: '/a' })
  expect(fragmentOf(answer)).toEqual({ error: 'provider_unavailable' })
  provider.lies = {}
  expect((await signIn(app, provider)).statusCode).toBe(200)
})

test('microsoft is one tenant, whose word for a verified address is xms_edov', async () => {
  const env = {
    OIDC_PROVIDERS: 'microsoft',
    OIDC_MICROSOFT_CLIENT_ID: 'a',
    OIDC_MICROSOFT_CLIENT_SECRET: 'b',
  }
  for (const tenant of ['common', 'organizations', 'example.onmicrosoft.com'])
    await expect(createTestApp({ ...env, OIDC_MICROSOFT_TENANT: tenant })).rejects.toThrow(
      'OIDC_MICROSOFT_TENANT',
    )
  await expect(createTestApp(env)).rejects.toThrow('OIDC_MICROSOFT_TENANT is missing')
  const provider = await startProvider()
  const app = await createTestApp({
    ...settingsOf(provider, 'microsoft'),
    OIDC_MICROSOFT_EMAIL_TRUSTED: 'true',
  })
  for (const [xms_edov, isVerified] of [
    [undefined, false],
    ['true', false],
    [true, true],
    ['1', true],
    [1, true],
  ]) {
    const email = `${String(xms_edov)}-${typeof xms_edov}@example.com`
    provider.account = { sub: email, email, xms_edov }
    const { accessToken } = tokensIn(await signIn(app, provider, 'microsoft'))
    expect((await getMe(app, accessToken)).json(), email).toMatchObject({ is_verified: isVerified })
  }
})

test.each([
  ['OIDC_ACME_ISSUER', undefined, 'OIDC_ACME_ISSUER is missing'],
  ['OIDC_ACME_CLIENT_ID', undefined, 'OIDC_ACME_CLIENT_ID is missing'],
  ['OIDC_ACME_CLIENT_SECRET', undefined, 'OIDC_ACME_CLIENT_SECRET is missing'],
  ['OIDC_ACME_ISSUER', 'http://provider.example.com', 'OIDC_ACME_ISSUER must be an https address'],
  ['OIDC_ACME_ISSUER', 'nonsense', 'OIDC_ACME_ISSUER must be an http or https address'],
  ['OIDC_ACME_EMAIL_TRUSTED', 'yes', 'OIDC_ACME_EMAIL_TRUSTED must be true or false'],
  ['OIDC_PROVIDERS', 'Acme', 'OIDC_PROVIDERS must be a list of names'],
])('%s=%s stops the start', async (name, value, message) => {
  const { [name]: _left, ...env }: Record<string, string> = settingsOf({ origin: 'https://acme.example.com' })
  await expect(createTestApp({ ...env, ...(value && { [name]: value }) })).rejects.toThrow(message)
})

test('in production, an issuer over http is refused on this machine too', async () => {
  const env = { ...settingsOf({ origin: 'http://127.0.0.1:1' }), NODE_ENV: 'production' }
  await expect(createTestApp(env)).rejects.toThrow('OIDC_ACME_ISSUER')
})

test('the names of settings are not taken for misspelled ones', async () => {
  const { misspelled } = await import('../../src/config.ts')
  expect(misspelled({ OIDC_ACME_ISSUERS: 'x' }, {}, ['OIDC_ACME_ISSUER'])).toHaveLength(1)
})

test('the exchange takes the code and the verifier, and nothing else', async () => {
  const { app, provider } = await appWithProvider()
  const { code, verifier } = await visit(app, provider)
  const extra = { code, code_verifier: verifier, user_id: 1 }
  expect(
    (await app.inject({ method: 'POST', url: '/api/v1/auth/oidc/exchange', body: extra })).statusCode,
  ).toBe(422)
  expect((await exchange(app, code, verifier)).statusCode).toBe(200)
})

test('a user with a password is not touched by a sign-in of somebody else', async () => {
  const { app, provider } = await appWithProvider()
  const { id } = await register(app)
  const before = await readUser(app, id)
  await signIn(app, provider)
  expect(await readUser(app, id)).toEqual(before)
})
