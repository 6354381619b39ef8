import { createPublicKey, verify } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { takeApart } from '../support/forge.ts'
import { addKey, createKeyApp, keySettings, ownName } from '../support/keys.ts'
import { expectProblem } from '../support/problem.ts'
import { settingNames } from '../support/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const keySet = '/.well-known/jwks.json'
const metadata = '/.well-known/oauth-authorization-server'
const kidsOf = async (app: TestApp) =>
  (await app.inject({ url: keySet })).json<{ keys: { kid: string }[] }>().keys.map(({ kid }) => kid)
const kidOf = (token: string) => takeApart(token).header.kid

test.each(['EdDSA', 'ES256', 'RS256'] as const)(
  'a token of %s is verified by the published key, which is public',
  async (algorithm) => {
    const { app, kid, token, parts } = await createKeyApp(algorithm)
    const { statusCode, headers, body } = await app.inject({ url: keySet })
    expect(statusCode).toBe(200)
    expect(headers['cache-control']).toBe('public, max-age=300')
    const { keys } = JSON.parse(body)
    expect(keys).toMatchObject([{ kid, alg: algorithm, use: 'sig' }])
    const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']
    expect(Object.keys(keys[0]).filter((member) => secretMembers.includes(member))).toEqual([])
    expect(body).not.toContain(app.config.accessTokens.secret)

    const [header, payload, signature] = parts
    const hash = algorithm === 'EdDSA' ? null : 'sha256'
    const key = { key: createPublicKey({ key: keys[0], format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
    const input = Buffer.from(`${header}.${payload}`)
    expect(verify(hash, input, key, Buffer.from(signature, 'base64url'))).toBe(true)
    expect((await getMe(app, token)).statusCode).toBe(200)
  },
)

test('a token of a key has the claims of RFC 9068, and those of the profile', async () => {
  const { id, header, kid, payload } = await createKeyApp('EdDSA', {
    JWT_ISSUER: 'https://auth.example.com',
    JWT_AUDIENCE: `${ownName}, orders`,
    JWT_CLIENT_ID: 'web',
  })
  expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid })
  expect(payload).toMatchObject({
    iss: 'https://auth.example.com',
    aud: [ownName, 'orders'],
    sub: 'alice',
    client_id: 'web',
    user_id: id,
    iat: expect.any(Number),
    exp: payload.iat + 1_800,
    jti: expect.stringMatching(/./),
  })
  expect(payload.username ?? payload.token_type).toMatch(/^(alice|access)$/)
})

test('by default, issuer, audience and client are the name of the project', async () => {
  const { app, payload, token } = await createKeyApp()
  expect(payload).toMatchObject({ iss: ownName, aud: ownName, client_id: ownName })
  expect((await getMe(app, token)).statusCode).toBe(200)
})

test('one audience of another name is that of the service', async () => {
  const { app, payload, token } = await createKeyApp('EdDSA', { JWT_AUDIENCE: 'https://api.example.com' })
  expect(payload.aud).toBe('https://api.example.com')
  expect((await getMe(app, token)).statusCode).toBe(200)
})

test('the metadata name the issuer and the keys, whatever host a client asks for', async () => {
  const { app } = await createKeyApp('EdDSA', { JWT_ISSUER: 'https://auth.example.com' })
  const { headers, body } = await app.inject({ url: metadata, headers: { host: 'evil.example.com' } })
  expect(headers['cache-control']).toBe('public, max-age=300')
  const own = {
    issuer: 'https://auth.example.com',
    jwks_uri: 'https://auth.example.com/.well-known/jwks.json',
    response_types_supported: [],
  }
  const { grant_types_supported = [], ...others } = app.serverMetadata
  expect(JSON.parse(body)).toMatchObject({ ...own, grant_types_supported })
  expect(Object.keys(JSON.parse(body)).sort()).toEqual(
    [...Object.keys(own), 'grant_types_supported', ...Object.keys(others)].sort(),
  )
})

test.each(['localhost:3000', 'urn:example:auth', 'https://'])(
  'the issuer %s is no web address: the keys are below FRONTEND_URL',
  async (issuer) => {
    const { app } = await createKeyApp('EdDSA', { JWT_ISSUER: issuer, FRONTEND_URL: 'https://example.com' })
    const { jwks_uri: url } = (await app.inject({ url: metadata })).json()
    expect(url).toBe('https://example.com/.well-known/jwks.json')
  },
)

test('while the secret signs, nothing is published, and tokens are as without keys', async () => {
  const folder = await temporaryFolder()
  addKey(folder, 1)
  const app = await createTestApp({ JWT_KEYS_DIR: folder })
  await register(app)
  const { header, payload } = takeApart(await logIn(app))
  expect(header).toEqual({ alg: 'HS256', typ: 'at+jwt' })
  expect(payload).not.toHaveProperty('client_id')
  for (const url of [keySet, metadata]) expectProblem(await app.inject({ url }), 'not_found')
})

test('a new key is published at once and signs after ten minutes, in all instances', async () => {
  const { app, folder, kid: first, token } = await createKeyApp()
  const other = await createTestApp(keySettings(folder), false, { db: app.db })
  const instances = [app, other]
  const advance = (seconds: number) => {
    for (const { clock } of instances) clock.advance(seconds)
  }
  const second = addKey(folder, 2)
  advance(60)
  for (const instance of instances) {
    expect(await kidsOf(instance)).toEqual([first, second])
    expect(kidOf(await logIn(instance))).toBe(first)
  }
  advance(9 * 60 - 1)
  const last = await logIn(other)
  expect(kidOf(last)).toBe(first)
  advance(1)
  const next = await logIn(app)
  expect(kidOf(next)).toBe(second)
  for (const instance of instances)
    for (const each of [token, last, next]) expect((await getMe(instance, each)).statusCode).toBe(200)

  advance(30 * 60 - 1)
  expect(await kidsOf(app)).toEqual([first, second])
  advance(1)
  expect(await kidsOf(app)).toEqual([second])
  expectProblem(await getMe(app, last), 'token_expired')
})

test('an instance accepts a token of a key that it did not know', async () => {
  const { app, folder, payload } = await createKeyApp()
  const other = await createTestApp(keySettings(folder), false, { db: app.db })
  addKey(folder, 2, -3_600)
  const ahead = await createTestApp(keySettings(folder), false, { db: app.db })
  const token = await logIn(ahead)
  other.clock.advance(10)
  expect((await getMe(other, token)).statusCode).toBe(200)
  expect(payload.sub).toBe('alice')
})

test('while the folder is broken or empty, the keys from before stay, and are read again later', async () => {
  const { app, folder, kid, token } = await createKeyApp()
  const broken = join(folder, 'broken.pem')
  await writeFile(broken, 'not a key', { mode: 0o600 })
  app.clock.advance(60)
  expect((await getMe(app, token)).statusCode).toBe(200)
  await rm(broken)
  const second = addKey(folder, 2)
  app.clock.advance(60)
  expect(await kidsOf(app)).toEqual([kid, second])
  await rm(folder, { recursive: true })
  app.clock.advance(60)
  expect((await getMe(app, token)).statusCode).toBe(200)
})

test('a file that someone else made is a key with the name of the file', async () => {
  const folder = await temporaryFolder()
  const made = await temporaryFolder()
  await rename(join(made, `${addKey(made, 1)}.pem`), join(folder, 'orders-2026.pem'))
  const app = await createTestApp(keySettings(folder))
  await register(app)
  expect(kidOf(await logIn(app))).toBe('orders-2026')
})

test('JWT_PRIVATE_KEY signs instead of the folder, also with \\n for line breaks', async () => {
  const folder = await temporaryFolder()
  const pem = await readFile(join(folder, `${addKey(folder, 1)}.pem`), 'utf8')
  const apps = [pem, pem.replaceAll('\n', '\\n')].map((text) =>
    createTestApp({ [settingNames.algorithm]: 'EdDSA', JWT_PRIVATE_KEY: text, JWT_KEYS_DIR: '/nowhere' }),
  )
  const [one, other] = await Promise.all(apps)
  const kids = [await kidsOf(one as TestApp), await kidsOf(other as TestApp)]
  expect(kids[0]).toHaveLength(1)
  expect(kids[1]).toEqual(kids[0])
})
