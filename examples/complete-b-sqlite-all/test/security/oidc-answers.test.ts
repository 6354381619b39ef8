import { createHmac, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { identities } from '../../src/db/schema/identities.ts'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { users } from '../../src/db/schema/users.ts'
import { createTestApp } from '../support/app.ts'
import {
  appWithProvider,
  begin,
  callback,
  challengeOf,
  fragmentOf,
  open,
  signIn,
  visit,
} from '../support/oidc.ts'
import { clientSecret, encodeJwt, type Lies, settingsOf, startProvider } from '../support/provider.ts'

const inAnHour = Math.floor(Date.now() / 1000) + 3600
const strangersKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

const edit =
  (...changes: ((query: URLSearchParams) => void)[]) =>
  (right: URLSearchParams) => {
    for (const change of changes) change(right)
    return right
  }

/** What a provider, or somebody between it and the service, may send instead of the truth. */
const lies: [string, Lies][] = [
  ['an id_token of another issuer', { claims: (right) => ({ ...right, iss: 'https://other.example.com' }) }],
  ['an id_token for another service', { claims: (right) => ({ ...right, aud: 'another-client' }) }],
  ['an id_token for several', { claims: (right) => ({ ...right, aud: [String(right.aud), 'another'] }) }],
  ['an id_token of another flow', { claims: (right) => ({ ...right, nonce: 'of another flow' }) }],
  ['an id_token without nonce', { claims: ({ nonce: _nonce, ...right }) => right }],
  ['an id_token that has expired', { claims: (right) => ({ ...right, exp: inAnHour - 7200 }) }],
  ['an id_token that is not valid yet', { claims: (right) => ({ ...right, nbf: inAnHour }) }],
  ['an id_token without a subject', { claims: ({ sub: _sub, ...right }) => right }],
  // supabase GHSA-5hvv-9cqv-894r: all users of a provider were one.
  ['an empty subject', { claims: (right) => ({ ...right, sub: '' }) }],
  ['a subject of 10,000 characters', { claims: (right) => ({ ...right, sub: 'x'.repeat(10_000) }) }],
  ['a subject with a NUL', { claims: (right) => ({ ...right, sub: 'a\0b' }) }],
  ['a subject that is a number', { claims: (right) => ({ ...right, sub: 1 as never }) }],
  ['an id_token without a signature', { idToken: (right) => `${right.split('.').slice(0, 2).join('.')}.` }],
  [
    'alg none',
    {
      idToken: (right) =>
        encodeJwt({ alg: 'none' }, JSON.parse(atob(right.split('.')[1] ?? '')), () => Buffer.alloc(0)),
    },
  ],
  ['a key that is not in its set', { header: (right) => ({ ...right, kid: 'unknown' }) }],
  ['no id_token', { tokens: ({ id_token: _token, ...right }) => right }],
  [
    'userinfo of another subject',
    {
      claims: ({ email: _email, ...right }) => right,
      userinfo: (right) => ({ ...right, sub: 'somebody-else' }),
    },
  ],
  [
    'another iss',
    {
      answer: (right) =>
        new URLSearchParams({ ...Object.fromEntries(right), iss: 'https://other.example.com' }),
    },
  ],
  // RFC 9207: its document announces it, so its absence is an attack.
  ['no iss', { answer: edit((right) => right.delete('iss')) }],
  ['two codes', { answer: edit((right) => right.append('code', 'x')) }],
  ['a code of somebody else', { answer: edit((right) => right.set('code', 'stolen')) }],
  [
    'an error of its own',
    {
      answer: edit(
        (right) => right.delete('code'),
        (right) => right.set('error', 'server_on_fire'),
      ),
    },
  ],
]

describe('a sign-in fails with', () => {
  test.each(lies)('%s', async (_name, lies) => {
    const { app, provider } = await appWithProvider()
    provider.lies = lies
    expect((await visit(app, provider)).error).toBe('invalid_answer')
    expect(await app.db.read.$count(users)).toBe(0)
    provider.lies = {}
    expect((await signIn(app, provider)).statusCode).toBe(200)
  })

  test('an id_token that somebody else has signed with the name of the right key', async () => {
    const { app, provider } = await appWithProvider()
    const rightKey = provider.key.privateKey
    provider.key.privateKey = strangersKey
    expect((await visit(app, provider)).error).toBe('invalid_answer')
    provider.key.privateKey = rightKey
    expect((await signIn(app, provider)).statusCode).toBe(200)
  })

  test('an HMAC by the client secret', async () => {
    const { app, provider } = await appWithProvider()
    const hmac = (text: string) => createHmac('sha256', clientSecret).update(text).digest()
    const forged = encodeJwt({ alg: 'HS256' }, { sub: 'x' }, hmac)
    provider.lies.idToken = () => forged
    expect((await visit(app, provider)).error).toBe('invalid_answer')
  })
})

test('a key that rotates is found, in a minute at most', async () => {
  const { app, provider } = await appWithProvider()
  await signIn(app, provider)
  provider.rotateKey()
  vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] })
  try {
    expect((await signIn(app, provider)).statusCode).toBe(200)
  } finally {
    vi.useRealTimers()
  }
})

// supabase CVE-2026-31813: any issuer that a document named was believed.
test.each<[string, Lies]>([
  [
    'another issuer',
    { metadata: (right) => ({ ...right, issuer: 'https://login.microsoftonline.com/common/v2.0' }) },
  ],
  ['the issuer with a slash', { metadata: (right) => ({ ...right, issuer: `${right.issuer}/` }) }],
  [
    'an endpoint over http at another host',
    {
      metadata: (right) => ({ ...right, authorization_endpoint: 'http://provider.example.com/' }),
    },
  ],
  [
    'a script as an endpoint',
    { metadata: (right) => ({ ...right, authorization_endpoint: 'javascript:alert(1)' }) },
  ],
  ['no endpoint', { metadata: ({ authorization_endpoint: _endpoint, ...right }) => right }],
  ['nothing that is JSON', { respond: (_request, response) => Boolean(response.end('<html>')) }],
  [
    'a redirect',
    {
      respond: (_request, response) =>
        Boolean(response.writeHead(302, { location: 'http://169.254.169.254/' }).end()),
    },
  ],
  [
    '10 MB',
    {
      respond: (_request, response) =>
        Boolean(response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(10_000_000))),
    },
  ],
])('a document with %s leads nobody to the provider', async (_name, lies) => {
  const { app, provider } = await appWithProvider()
  provider.lies = lies
  expect(fragmentOf(await open(app, { code_challenge: challengeOf('') }))).toEqual({
    error: 'provider_unavailable',
  })
})

test.each(['token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
  'a document whose %s is at another host over http sends nothing there',
  async (endpoint) => {
    const { app, provider } = await appWithProvider()
    provider.lies = {
      metadata: (right) => ({ ...right, [endpoint]: 'http://provider.example.com/' }),
      claims: ({ email: _email, ...right }) => right,
    }
    expect((await visit(app, provider)).error).toBe('provider_unavailable')
  },
)

test('discovery that hangs ends, and other requests are answered meanwhile', async () => {
  const { app, provider } = await appWithProvider()
  let isHanging = true
  provider.lies.respond = () => isHanging
  const started = open(app, { code_challenge: challengeOf('') })
  expect((await app.inject('/api/v1/auth/oidc')).statusCode).toBe(200)
  expect(fragmentOf(await started)).toEqual({ error: 'provider_unavailable' })
  isHanging = false
  expect((await signIn(app, provider)).statusCode).toBe(200)
}, 20_000)

test('no token, code or secret of a provider is stored or logged', async () => {
  const lines: string[] = []
  const provider = await startProvider()
  const app = await createTestApp(settingsOf(provider), {
    level: 'trace',
    stream: { write: (line: string) => void lines.push(line) },
  })
  await signIn(app, provider)
  provider.lies.claims = (right) => ({ ...right, nonce: 'wrong' })
  await visit(app, provider)
  const tables = await Promise.all(
    [identities, signInTokens, users].map((table) => app.db.read.select().from(table)),
  )
  const stored = JSON.stringify(tables)
  expect(provider.issued.length).toBeGreaterThan(5)
  for (const secret of [...provider.issued, clientSecret, 'olga@example.com'])
    expect(lines.join('\n')).not.toContain(secret)
  for (const secret of provider.issued) expect(stored).not.toContain(secret)
})

test('without trust, or without the boolean, no address counts as verified', async () => {
  const { app, provider } = await appWithProvider()
  // Logto CVE-2026-15611 and -55216, Keycloak CVE-2026-97175.
  const claims = [undefined, null, false, 'true', 1, 'false', {}]
  for (const [number, email_verified] of claims.entries()) {
    const email = `user-${number}@example.com`
    provider.account = { sub: email, email, email_verified }
    await signIn(app, provider)
    app.clock.advance(60)
  }
  const rows = await app.db.read.select({ isVerified: users.isVerified }).from(users)
  expect(rows).toEqual(claims.map(() => ({ isVerified: false })))
})

test('a provider that gives no address, or none that is one, gets no user', async () => {
  const { app, provider } = await appWithProvider()
  for (const email of [undefined, '', 'nonsense', 'a@b', 7, 'alice@example.com\0', 'аlice@exаmple.com']) {
    provider.account = { sub: 'x', email, email_verified: true }
    expect((await visit(app, provider)).error).toBe('email_missing')
    app.clock.advance(60)
  }
})

// Most providers send no `iss`, which would tell them apart (RFC 9207).
test('an answer for one provider is none for another (mix-up, next-auth CVE-2026-73419)', async () => {
  const [honest, evil] = [await startProvider(), await startProvider()]
  for (const { lies } of [honest, evil]) {
    lies.metadata = (right) => ({ ...right, authorization_response_iss_parameter_supported: false })
    lies.answer = edit((right) => right.delete('iss'))
  }
  const app = await createTestApp({
    ...settingsOf(honest, 'honest'),
    ...settingsOf(evil, 'evil'),
    OIDC_PROVIDERS: 'honest,evil',
  })
  const { cookie, query } = await begin(app, evil, {}, 'evil')
  const { code } = Object.fromEntries(new URLSearchParams((await begin(app, honest, {}, 'honest')).query))
  const mixed = new URLSearchParams(query)
  mixed.set('code', code ?? '')
  expect(fragmentOf(await callback(app, `?${mixed}`, cookie, 'honest'))).toEqual({ error: 'invalid_answer' })
  expect(evil.requests.map(({ url }) => url)).not.toContain('/token')
  expect(honest.requests.map(({ url }) => url)).not.toContain('/token')
})

test('two providers that name the same subject are two users', async () => {
  const [one, two] = [await startProvider(), await startProvider()]
  const app = await createTestApp({
    ...settingsOf(one, 'one'),
    ...settingsOf(two, 'two'),
    OIDC_PROVIDERS: 'one,two',
  })
  expect((await signIn(app, one, 'one')).statusCode).toBe(200)
  expect((await visit(app, two, 'two')).error).toBe('account_exists')
  two.account = { ...two.account, email: 'other@example.com' }
  expect((await signIn(app, two, 'two')).statusCode).toBe(200)
  expect(await app.db.read.$count(users)).toBe(2)
})
