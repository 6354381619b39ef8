import { expect, test } from 'vitest'
import { identities } from '../../src/db/schema/identities.ts'
import { unusablePassword } from '../../src/passwords/hashes.ts'
import { changeUser, getMe, readUser } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import {
  post,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  tokensIn,
} from '../support/flows.ts'
import {
  addFactor,
  emailedCode,
  pendingIn,
  registerWithFactor,
  rightCode,
  sendCode,
} from '../support/made-up-factor.ts'
import { emailsTo } from '../support/mailbox.ts'
import {
  appWithProvider,
  askForEmailed,
  begin,
  callback,
  challengeOf,
  cookieOf,
  createVerifier,
  exchange,
  fragmentOf,
  link,
  listIdentities,
  locationOf,
  open,
  registerLinked,
  removeIdentity,
  signedIn,
  signIn,
  visit,
} from '../support/oidc.ts'
import { expectProblem } from '../support/problem.ts'
import { settingsOf } from '../support/provider.ts'

/** A user who has begun to add an account, up to the code that their front end gets. */
async function waiting() {
  const { app, provider } = await appWithProvider()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const emailed_token = await askForEmailed(app, accessToken)
  const verifier = createVerifier()
  const body = { code_challenge: challengeOf(verifier), emailed_token }
  const { url } = (await post(app, 'oidc/acme/link', body, accessToken)).json()
  const opened = await app.inject({ url })
  const query = provider.authorize(locationOf(opened))
  const { code } = fragmentOf(await callback(app, query, cookieOf(opened)))
  return { app, provider, accessToken, verifier, code, url, emailed_token }
}

test('a user adds an account, is told so, and signs in with it', async () => {
  const { app, provider } = await appWithProvider()
  const { id, accessToken } = await registerLinked(app, provider)
  expect(await listIdentities(app, accessToken)).toMatchObject([
    { provider: 'acme', email: 'olga@example.com' },
  ])
  const notice = (await emailsTo(app)).find(({ template }) => template === 'identity_added')
  expect(notice?.variables).toMatchObject({ provider: 'acme', account: 'olga@example[.]com' })
  expect(app.ctx.accessTokens.verify(await signedIn(app, provider)).userId).toBe(id)
})

test('it takes a verified address, a recent login and the emailed token, which works once', async () => {
  const { app, provider } = await appWithProvider()
  const { id } = await registerVerified(app)
  const { accessToken } = await startSession(app)
  await changeUser(app, id, { isVerified: false })
  expectProblem(await link(app, provider, accessToken, {}), 'user_not_verified')
  await changeUser(app, id, { isVerified: true })
  expectProblem(await link(app, provider, accessToken, {}), 'emailed_token_required')
  expectProblem(await link(app, provider, accessToken, { emailed_token: 'x' }), 'invalid_or_expired_token')
  const emailed_token = await emailedCode(app)
  expect((await link(app, provider, accessToken, { emailed_token })).statusCode).toBe(204)
  expectProblem(await link(app, provider, accessToken, { emailed_token }), 'invalid_or_expired_token')
  app.clock.advance(11 * 60)
  expectProblem(await link(app, provider, accessToken, {}), 'reauthentication_required')
})

test('of a user with a second factor it takes a proof too', async () => {
  const { app, provider } = await appWithProvider()
  const owners = addFactor()
  const { accessToken: old } = await registerWithFactor(app, owners)
  const login = { username: 'alice', password: 'Correct-Horse-7' }
  const { mfa_token } = pendingIn(await post(app, 'login', login))
  const { accessToken } = tokensIn(await sendCode(app, mfa_token))
  const emailed_token = await askForEmailed(app, accessToken)
  expectProblem(await link(app, provider, accessToken, { emailed_token }), 'invalid_code')
  expectProblem(await link(app, provider, old, {}), 'reauthentication_required')
  expect((await link(app, provider, accessToken, { emailed_token, code: rightCode })).statusCode).toBe(204)
  // Three public cases of 2026 left the second factor out.
  pendingIn(await signIn(app, provider))
})

test('a second factor that comes meanwhile was not asked for', async () => {
  const { app, accessToken, verifier, code } = await waiting()
  addFactor().set(1, new Date(app.now()))
  expectProblem(await exchange(app, code, verifier, accessToken), 'invalid_or_expired_token')
})

// Zitadel CVE-2026-105207.
test('the callback adds nothing: the session that asked does', async () => {
  const { app, accessToken, verifier, code } = await waiting()
  expect(await app.db.read.$count(identities)).toBe(0)
  expectProblem(await exchange(app, code, verifier), 'not_authenticated')
  await registerVerified(app, 'bob')
  const bob = await startSession(app, 'bob')
  expectProblem(await exchange(app, code, verifier, bob.accessToken), 'invalid_token')
  const other = await startSession(app)
  expectProblem(await exchange(app, code, verifier, other.accessToken), 'invalid_token')
  expect(await app.db.read.$count(identities)).toBe(0)
  const answer = await exchange(app, code, verifier, accessToken)
  expect([answer.statusCode, answer.body]).toEqual([204, ''])
})

test('the code of a login adds nothing to the user whose access token comes with it', async () => {
  const { app, provider } = await appWithProvider()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const { code, verifier } = await visit(app, provider)
  const tokens = tokensIn(await exchange(app, code, verifier, accessToken))
  expect((await getMe(app, tokens.accessToken)).json().username).toBe('olga')
  expect(await listIdentities(app, accessToken)).toEqual([])
})

test('the address of a link leads to its provider alone, until an answer has come', async () => {
  const { app, provider, emailed_token, accessToken, url } = await waiting()
  expect(fragmentOf(await app.inject({ url }))).toEqual({ error: 'invalid_answer' })
  const body = { code_challenge: challengeOf(''), emailed_token }
  const next = (await post(app, 'oidc/acme/link', body, accessToken)).json().url
  app.clock.advance(600)
  expect(fragmentOf(await app.inject({ url: next }))).toEqual({ error: 'invalid_answer' })
  expect(provider.requests.filter(({ url: path }) => path === '/token')).toHaveLength(1)
})

test('the address of a link that is opened again keeps its cookie, however many flows have begun', async () => {
  const { app, accessToken, emailed_token } = await waiting()
  const body = { code_challenge: challengeOf(''), emailed_token }
  const { url } = (await post(app, 'oidc/acme/link', body, accessToken)).json()
  const first = cookieOf(await app.inject({ url }))
  const jar = [first, ...Array.from({ length: 6 }, (_, at) => `oidc-${at}=x`)].join('; ')
  const { headers } = await app.inject({ url, headers: { cookie: jar } })
  const set = [headers['set-cookie'] ?? []].flat().map((text) => text.split(';')[0])
  expect(set).toEqual([first, 'oidc-0=', 'oidc-1='])
})

// An attacker would have somebody else finish their login, whose cookie that browser does not have.
test('the state of a login is no address of a link', async () => {
  const { app, provider } = await appWithProvider()
  const { query } = await begin(app, provider)
  const answer = await open(app, { link: new URLSearchParams(query).get('state') ?? '' })
  expect(fragmentOf(answer)).toEqual({ error: 'invalid_answer' })
  expect(answer.headers['set-cookie']).toBeUndefined()
})

test('an account that logs in somebody is added to nobody else', async () => {
  const { app, provider } = await appWithProvider()
  await registerLinked(app, provider, 'bob')
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const emailed_token = await askForEmailed(app, accessToken)
  expectProblem(await link(app, provider, accessToken, { emailed_token }), 'already_linked')
  expect(await listIdentities(app, accessToken)).toEqual([])
})

test.each<[string, (app: Awaited<ReturnType<typeof createTestApp>>) => Promise<unknown>]>([
  ['a reset of the password', async (app) => resetPassword(app, await requestReset(app))],
  ['a new address', (app) => changeUser(app, 1, { email: 'new@example.com' })],
])('%s ends what waits', async (_name, change) => {
  const { app, accessToken, verifier, code } = await waiting()
  await change(app)
  expect((await exchange(app, code, verifier, accessToken)).statusCode).toBeGreaterThanOrEqual(400)
  expect(await app.db.read.$count(identities)).toBe(0)
})

test('a provider that is down costs no code', async () => {
  const { app, provider } = await appWithProvider()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  provider.lies.respond = (_request, response) => Boolean(response.writeHead(503).end())
  expectProblem(await link(app, provider, accessToken, {}), 'provider_unavailable')
})

test('a removal takes an emailed token, once, and a notice says so', async () => {
  const { app, provider } = await appWithProvider()
  const { accessToken } = await registerLinked(app, provider)
  await registerVerified(app, 'bob')
  const bob = await startSession(app, 'bob')
  expectProblem(await removeIdentity(app, 1, bob.accessToken), 'not_found')
  app.clock.advance(60)
  expectProblem(await removeIdentity(app, 1, accessToken), 'emailed_token_required')
  const body = { emailed_token: await emailedCode(app) }
  expect((await removeIdentity(app, 1, accessToken, body)).statusCode).toBe(204)
  expect((await emailsTo(app)).map(({ template }) => template)).toContain('identity_removed')
  expect(await listIdentities(app, accessToken)).toEqual([])
})

test('the last way to log in stays, and one of a provider that is gone is none', async () => {
  const { app, provider } = await appWithProvider()
  const { id, accessToken } = await registerLinked(app, provider)
  await changeUser(app, id, { hashedPassword: unusablePassword })
  expectProblem(await removeIdentity(app, 1, accessToken), 'last_sign_in_method')
  const row = {
    userId: id,
    issuer: 'https://gone.example.com',
    subject: '1',
    provider: 'gone',
    createdAt: new Date(app.now()),
  }
  await app.db.transaction((tx) => tx.insert(identities).values(row))
  expectProblem(await removeIdentity(app, 1, accessToken), 'last_sign_in_method')
  // Removing it takes nothing away.
  app.clock.advance(60)
  expectProblem(await removeIdentity(app, 2, accessToken), 'emailed_token_required')
})

test('the email of a reset takes back what was added', async () => {
  const { app, provider } = await appWithProvider()
  const { id } = await registerLinked(app, provider)
  app.clock.advance(24 * 60 * 60)
  const token = await requestReset(app)
  await resetPassword(app, token)
  expect(await app.db.read.$count(identities)).toBe(1)
  const undone = await post(app, 'undo-additions', { token })
  expect(undone.json()).toEqual({ removed: ['identity'] })
  expect(await app.db.read.$count(identities)).toBe(0)
  expect((await readUser(app, id)).isVerified).toBe(true)
})

test('front ends of other origins get a warning at the start without OIDC_CALLBACK_BASE', async () => {
  const lines: string[] = []
  const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } }
  const env = {
    ...settingsOf({ origin: 'https://acme.example.com' }),
    CORS_ORIGINS: 'https://shop.example.com',
  }
  await createTestApp(env, logger)
  expect(lines.filter((line) => line.includes('OIDC_CALLBACK_BASE'))).toHaveLength(1)
  await createTestApp({ ...env, OIDC_CALLBACK_BASE: 'https://api.example.com' }, logger)
  expect(lines.filter((line) => line.includes('OIDC_CALLBACK_BASE'))).toHaveLength(1)
})
