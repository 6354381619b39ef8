import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { users } from '../../src/db/schema/users.ts'
import { changeUser, getMe, password, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { requestReset, resetPassword, tokensIn, verify } from '../support/flows.ts'
import { emailedToken } from '../support/mailbox.ts'
import {
  appWithProvider,
  begin,
  callback,
  challengeOf,
  cookieOf,
  createVerifier,
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
import { countStored } from '../support/stored.ts'

// Login CSRF and session fixation: an attacker finishes their own flow in the browser of somebody else.
test('an answer counts in the browser that began, and in no other', async () => {
  const { app, provider } = await appWithProvider()
  for (const forge of [
    () => '',
    (name: string) => `${name}=${createVerifier()}`,
    (name: string) => `${name}=`,
  ]) {
    const { cookie, query } = await begin(app, provider)
    const answer = await callback(app, query, forge(cookie.split('=')[0] ?? ''))
    expect(fragmentOf(answer)).toEqual({ error: 'invalid_answer' })
    // It is used up.
    expect(fragmentOf(await callback(app, query, cookie))).toEqual({ error: 'invalid_answer' })
  }
  expect(await app.db.read.$count(users)).toBe(0)
})

test('two flows in one browser do not meet', async () => {
  const { app, provider } = await appWithProvider()
  const [one, two] = [await begin(app, provider), await begin(app, provider)]
  const jar = `${one.cookie}; other=1; ${two.cookie}`
  expect(fragmentOf(await callback(app, one.query, jar)).code).toBeDefined()
  expect(fragmentOf(await callback(app, two.query, jar)).code).toBeDefined()
})

test('a browser keeps the cookies of its five newest flows: no header grows without end', async () => {
  const { app, provider } = await appWithProvider()
  const jar = new Map<string, string>()
  const header = () => ['other=1', ...[...jar].map((pair) => pair.join('='))].join('; ')
  const queries: string[] = []
  for (let time = 0; time < 12; time += 1) {
    const started = await open(app, { code_challenge: challengeOf('') }, 'acme', header())
    for (const text of [started.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = '', age] = /^(oidc-\w+)=(\w*);.*Max-Age=(\d+)/.exec(text) ?? []
      if (age === '0') jar.delete(name)
      else jar.set(name, value)
    }
    queries.push(provider.authorize(locationOf(started)))
  }
  expect(jar.size).toBe(5)
  for (const [at, query] of queries.entries())
    expect(Object.keys(fragmentOf(await callback(app, query, header())))).toEqual([at < 7 ? 'error' : 'code'])
})

test('the cookie is for this host alone, over https, and no script reads it', async () => {
  const provider = await startProvider()
  const app = await createTestApp({ ...settingsOf(provider), FRONTEND_URL: 'https://app.example.com' })
  const started = await open(app, { code_challenge: challengeOf('') })
  expect(String(started.headers['set-cookie'])).toMatch(
    /^__Host-oidc-[0-9a-f]{16}=[\w-]{64}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  )
  const local = await createTestApp(settingsOf(provider))
  const { 'set-cookie': cookie } = (await open(local, { code_challenge: challengeOf('') })).headers
  expect(String(cookie)).toMatch(
    /^oidc-[0-9a-f]{16}=[\w-]{64}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
  )
})

test('an answer counts once, and 10 minutes', async () => {
  const { app, provider } = await appWithProvider()
  const { cookie, query } = await begin(app, provider)
  const answers = await Promise.all(Array.from({ length: 4 }, () => callback(app, query, cookie)))
  expect(answers.filter((answer) => fragmentOf(answer).code)).toHaveLength(1)
  const late = await begin(app, provider)
  app.clock.advance(600)
  expect(fragmentOf(await callback(app, late.query, late.cookie))).toEqual({ error: 'invalid_answer' })
})

test('callbacks with anything else lead back with an error', async () => {
  const { app } = await appWithProvider()
  for (const query of [
    '',
    '?state=',
    '?state=x&code=y',
    '?error=access_denied',
    '?state=a&state=b',
    '?%00=%ff',
  ])
    expect(fragmentOf(await callback(app, query))).toEqual({ error: 'invalid_answer' })
})

// OmniAuth CVE-2026-63183.
test('no header decides where providers or users are led to', async () => {
  const { app, provider } = await appWithProvider({
    FRONTEND_URL: 'https://app.example.com',
    TRUST_PROXY: '127.0.0.1',
  })
  const headers = {
    host: 'mallory.example',
    'x-forwarded-host': 'mallory.example',
    'x-forwarded-proto': 'http',
    origin: 'https://mallory.example',
    referer: 'https://mallory.example/',
  }
  const started = await app.inject({
    url: `/api/v1/auth/oidc/acme?code_challenge=${challengeOf('')}`,
    headers,
  })
  expect(new URL(locationOf(started)).searchParams.get('redirect_uri')).toBe(
    'https://app.example.com/api/v1/auth/oidc/acme/callback',
  )
  const query = provider.authorize(locationOf(started))
  const back = await app.inject({ url: `/api/v1/auth/oidc/acme/callback${query}`, headers })
  expect(new URL(locationOf(back)).origin).toBe('https://app.example.com')
})

test.each([
  '//evil.example',
  'https://evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  'javascript:alert(1)',
  'evil',
  '',
  '/ä',
])('return_to=%j is refused', async (return_to) => {
  const { app } = await appWithProvider()
  expect((await open(app, { code_challenge: challengeOf(''), return_to })).statusCode).toBe(422)
})

// Whoever reads addresses, in a log or at the provider, would otherwise finish the flow in a browser of their own.
test('no address contains the cookie, or what it is made of', async () => {
  const { app, provider } = await appWithProvider()
  const started = await open(app, { code_challenge: challengeOf('') })
  const { cookie, query } = await begin(app, provider)
  for (const [address, value] of [
    [locationOf(started), cookieOf(started).split('=')[1] ?? ''],
    [query, cookie.split('=')[1] ?? ''],
  ] as const) {
    const parts = [...new URLSearchParams(address.replace(/^[^?]*/, '')).values()]
    const hashes = parts.flatMap((part) => [
      Buffer.from(part, 'base64url').toString('hex'),
      createHash('sha256').update(part).digest('hex'),
    ])
    expect(value).toMatch(/^[0-9a-f]{64}$/)
    expect([...parts, ...hashes]).not.toContain(value)
  }
})

// Code injection: the code of one front end is worth nothing in another.
test('a code takes the verifier of the front end that began, and a wrong one uses it up', async () => {
  const { app, provider } = await appWithProvider()
  const { code, verifier } = await visit(app, provider)
  expectProblem(await exchange(app, code, createVerifier()), 'invalid_or_expired_token')
  expectProblem(await exchange(app, code, verifier), 'invalid_or_expired_token')
  expect((await countStored(app)).sessions).toBe(0)
  for (const challenge of ['', 'short', `${challengeOf('')}=`])
    expect((await open(app, { code_challenge: challenge })).statusCode).toBe(422)
})

// Code injection at the provider: an attacker puts a code that they have overheard into a flow of their own.
test('the code of a provider counts in the flow that it was given for', async () => {
  const { app, provider } = await appWithProvider()
  const [victim, attacker] = [await begin(app, provider), await begin(app, provider)]
  const query = new URLSearchParams(attacker.query)
  query.set('code', new URLSearchParams(victim.query).get('code') ?? '')
  expect(fragmentOf(await callback(app, `?${query}`, attacker.cookie))).toEqual({ error: 'invalid_answer' })
  expect(await app.db.read.$count(users)).toBe(0)
})

// Gitea CVE-2026-120263: the form of a sign-up named the account that it was linked to.
test('nothing that a browser sends names an account', async () => {
  const { app, provider } = await appWithProvider()
  const { id } = await register(app)
  const named = { user_id: String(id), username: 'alice', email: 'alice@example.com', login_hint: 'alice' }
  for (const [name, value] of Object.entries(named)) {
    const started = await open(app, { code_challenge: challengeOf(''), [name]: value })
    expect(started.statusCode, name).toBe(422)
  }
  const { verifier, cookie, query } = await begin(app, provider)
  const answer = await callback(app, `${query}&${new URLSearchParams(named)}`, cookie)
  const { accessToken } = tokensIn(await exchange(app, fragmentOf(answer).code, verifier))
  expect((await getMe(app, accessToken)).json().id).not.toBe(id)
})

test('a code works once, also for exchanges at once, and for 60 seconds', async () => {
  const { app, provider } = await appWithProvider()
  const { code, verifier } = await visit(app, provider)
  const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(app, code, verifier)))
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  const late = await visit(app, provider)
  app.clock.advance(60)
  expectProblem(await exchange(app, late.code, late.verifier), 'invalid_or_expired_token')
})

test('a code is no other token, and no other token is a code', async () => {
  const { app, provider } = await appWithProvider()
  const { code = '', verifier } = await visit(app, provider)
  expectProblem(await getMe(app, code), 'invalid_token')
  expectProblem(await verify(app, code), 'invalid_or_expired_token')
  const { query } = await begin(app, provider)
  const state = new URLSearchParams(query).get('state') ?? ''
  expectProblem(await exchange(app, state, verifier), 'invalid_or_expired_token')
  const rows = await app.db.read.select().from(signInTokens)
  for (const secret of [code, state]) expect(rows.map(({ token }) => token)).not.toContain(secret)
})

// better-auth CVE-2026-53516, Gitea CVE-2026-120263.
test.each([true, false])(
  'an address that is registered is never linked, verified there: %s',
  async (isVerified) => {
    const { app, provider } = await appWithProvider()
    const { id } = await register(app, 'olga')
    await changeUser(app, id, { isVerified })
    const before = await readUser(app, id)
    expect((await visit(app, provider)).error).toBe('account_exists')
    provider.account = { ...provider.account, email: 'OLGA@EXAMPLE.COM' }
    expect((await visit(app, provider)).error).toBe('account_exists')
    expect(await readUser(app, id)).toEqual(before)
  },
)

test('while registration is closed, users sign in and no new one comes', async () => {
  const { app, provider } = await appWithProvider({ REGISTRATION_ENABLED: 'false' })
  expect((await visit(app, provider)).error).toBe('registration_closed')
  expect(await app.db.read.$count(users)).toBe(0)
})

test('each new user counts as a registration', async () => {
  const { app, provider } = await appWithProvider({ RATE_LIMIT_REGISTER: '1' })
  await signIn(app, provider)
  provider.account = { sub: 'other', email: 'other@example.com' }
  const { cookie, query } = await begin(app, provider)
  expectProblem(await callback(app, query, cookie), 'too_many_requests')
  provider.account = { sub: 'at-provider-1' }
  expect((await signIn(app, provider)).statusCode).toBe(200)
})

test('the GETs of flows are limited by client', async () => {
  const { app } = await appWithProvider({ RATE_LIMIT_AUTH_REQUESTS: '2' })
  for (let time = 0; time < 2; time += 1) await callback(app, '')
  expectProblem(await callback(app, ''), 'too_many_requests')
  expectProblem(await open(app, { code_challenge: challengeOf('') }), 'too_many_requests')
})

test('a user who is deactivated between callback and exchange gets no session', async () => {
  const { app, provider } = await appWithProvider()
  await signIn(app, provider)
  const { code, verifier } = await visit(app, provider)
  await runCommand(app, 'deactivate', 'olga')
  expectProblem(await exchange(app, code, verifier), 'invalid_or_expired_token')
  expectProblem(await signIn(app, provider), 'invalid_credentials')
})

test.each<[string, (app: Awaited<ReturnType<typeof createTestApp>>) => Promise<unknown>]>([
  ['a new address', (app) => changeUser(app, 1, { email: 'new@example.com' })],
  ['a new password', (app) => changeUser(app, 1, { hashedPassword: 'another' })],
  ['the end of all sessions', (app) => runCommand(app, 'end-sessions', 'olga')],
  ['reset-mfa', (app) => runCommand(app, 'reset-mfa', 'olga')],
])('%s ends a code', async (_name, change) => {
  const { app, provider } = await appWithProvider()
  const { code, verifier } = await visit(app, provider)
  await change(app)
  expectProblem(await exchange(app, code, verifier), 'invalid_or_expired_token')
})

test('reset-mfa removes identities too', async () => {
  const { app, provider } = await appWithProvider()
  const accessToken = await signedIn(app, provider)
  expect(await listIdentities(app, accessToken)).toHaveLength(1)
  await runCommand(app, 'reset-mfa', 'olga')
  expect((await visit(app, provider)).error).toBe('account_exists')
})

// A thief at a provider that checks no addresses registers that of a stranger, who opens the link in the email.
test('an address of a user from a provider is verified by this user alone, logged in', async () => {
  const { app, provider } = await appWithProvider({ OIDC_ACME_EMAIL_TRUSTED: 'false' })
  const accessToken = await signedIn(app, provider)
  await register(app, 'bob')
  const bob = tokensIn(await tryLogIn(app, 'bob', password))
  const token = await emailedToken(app, 'verification', 'olga@example.com')
  expectProblem(await verify(app, token), 'not_authenticated')
  expectProblem(await verify(app, token, bob.accessToken), 'invalid_or_expired_token')
  expect((await readUser(app, 1)).isVerified).toBe(false)
  expect((await verify(app, token, accessToken)).statusCode).toBe(200)
})

test('the first proof of the address by a reset removes the identity of whoever came first', async () => {
  const { app, provider } = await appWithProvider({ OIDC_ACME_EMAIL_TRUSTED: 'false' })
  const { code, verifier } = await visit(app, provider)
  await resetPassword(app, await requestReset(app, 'olga@example.com'))
  expectProblem(await exchange(app, code, verifier), 'invalid_or_expired_token')
  expect((await visit(app, provider)).error).toBe('account_exists')
})

test('names of a provider imitate no other user', async () => {
  const { app, provider } = await appWithProvider({ RATE_LIMIT_ENABLED: 'false' })
  await register(app, 'alice')
  const names = [
    'alice',
    'ALICE',
    'аlice',
    'ａｌｉｃｅ',
    'alice\u200b',
    'x'.repeat(200),
    '',
    '..',
    'evil.com/',
    'a b',
    '👍👍👍',
    'Alice\nAdmin',
  ]
  const given: string[] = []
  for (const [number, preferred_username] of names.entries()) {
    const email = `user-${number}@example.com`
    provider.account = { sub: email, email, preferred_username }
    given.push((await getMe(app, tokensIn(await signIn(app, provider)).accessToken)).json().username)
  }
  for (const name of given) expect(name).toMatch(/^[A-Za-z0-9][\w.-]{1,30}[A-Za-z0-9]$/)
  expect(new Set(['alice', ...given.map((name) => name.toLowerCase())]).size).toBe(names.length + 1)
  expect(given.filter((name) => name.toLowerCase() === 'alice')).toEqual([])
})

test('several first sign-ins of one account at once are one user', async () => {
  const { app, provider } = await appWithProvider()
  const flows = [await begin(app, provider), await begin(app, provider), await begin(app, provider)]
  const answers = await Promise.all(flows.map(({ cookie, query }) => callback(app, query, cookie)))
  expect(await app.db.read.$count(users)).toBe(1)
  for (const answer of answers) expect(['code', 'error']).toContain(Object.keys(fragmentOf(answer))[0])
})
