import { generateKeyPairSync } from 'node:crypto'
import { chmod, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { encode, sign } from '../support/forge.ts'
import {
  addKey,
  createKeyApp,
  keySettings,
  ownName,
  privateKeyOf,
  publicPemOf,
  shareKeyApp,
  signWithKey,
} from '../support/keys.ts'
import { expectProblem } from '../support/problem.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type KeyApp = Awaited<ReturnType<typeof createKeyApp>>

// Tests that change no key and no clock share these.
const shared = {
  EdDSA: await shareKeyApp('EdDSA'),
  ES256: await shareKeyApp('ES256'),
  RS256: await shareKeyApp('RS256'),
}

const expectRefused = async ({ app }: KeyApp, forged: string) =>
  expectProblem(await getMe(app, forged), 'invalid_token')

describe.each(['EdDSA', 'ES256', 'RS256'] as const)('with %s', (algorithm) => {
  test('a token that these tests sign with the key is accepted, whatever the order of its header', async () => {
    const { app, folder, kid, payload } = shared[algorithm]
    const key = await privateKeyOf(folder, kid)
    for (const header of [
      { alg: algorithm, typ: 'at+jwt', kid },
      { kid, typ: 'at+jwt', alg: algorithm },
    ])
      expect((await getMe(app, signWithKey(header, payload, key))).statusCode).toBe(200)
  })

  // Everybody knows the public key. As the secret of an HMAC, it would sign tokens for every user (RFC 8725 section 2.1).
  test('the public key is no secret of an HMAC', async () => {
    const service = shared[algorithm]
    const { folder, kid, header, payload } = service
    const pem = await publicPemOf(folder, kid)
    const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
    for (const secret of [pem, pem.trim(), der.toString('latin1'), kid])
      for (const alg of ['HS256', 'HS384', 'HS512', algorithm])
        for (const member of [{ kid }, {}])
          await expectRefused(service, sign({ alg, typ: 'at+jwt', ...member }, payload, secret))
    await expectRefused(service, sign(header, payload, pem))
  })

  test.each(['none', 'None', ''])('alg %j needs a signature too', async (alg) => {
    const service = shared[algorithm]
    const [, body, signature] = service.parts
    for (const end of ['', signature])
      await expectRefused(service, `${encode({ ...service.header, alg })}.${body}.${end}`)
  })

  // A key pair of the attacker in the header would verify their own signature.
  test('the header brings no key and no address of one', async () => {
    const service = shared[algorithm]
    const { header, payload, kid } = service
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA' }
    for (const member of [
      { jwk },
      { jku: 'https://evil.example.com/keys.json' },
      { x5c: [] },
      { crit: ['exp'] },
    ]) {
      await expectRefused(service, signWithKey({ ...header, ...member }, payload, privateKey))
      const own = await privateKeyOf(service.folder, kid)
      await expectRefused(service, signWithKey({ ...header, ...member }, payload, own))
    }
    await expectRefused(service, signWithKey({ ...header, alg: 'EdDSA' }, payload, privateKey))
  })

  test('the signature has one spelling', async () => {
    const service = shared[algorithm]
    const [head, body, signature] = service.parts
    const others = [
      `${signature}=`,
      `${signature}AAAA`,
      `${signature}.`,
      signature.slice(0, -2),
      ` ${signature}`,
      '',
    ]
    for (const other of others) await expectRefused(service, `${head}.${body}.${other}`)
  })
})

// Of two keys, the weaker algorithm of one must not verify what the other signed.
test('the algorithm belongs to the key', async () => {
  const service = shared.ES256
  const { folder, kid, payload, header } = service
  const key = await privateKeyOf(folder, kid)
  for (const alg of ['EdDSA', 'RS256', 'ES384', 'es256', 'Ed25519'])
    await expectRefused(service, signWithKey({ ...header, alg }, payload, key))
})

describe('the kid of a token', () => {
  test.each([
    '../../../../dev/null',
    'https://evil.example.com/key.pem',
    "x' UNION SELECT 'key",
    '__proto__',
    'constructor',
    '',
    'a'.repeat(5_000),
    null,
    ['1'],
  ])('%j is no key', async (kid) => {
    const service = shared.EdDSA
    const { header, payload } = service
    await expectRefused(service, sign({ ...header, kid }, payload, ''))
    const { privateKey } = generateKeyPairSync('ed25519')
    await expectRefused(service, signWithKey({ ...header, kid }, payload, privateKey))
  })

  test('reads no file outside the folder, and none that is no key of it', async () => {
    const service = shared.EdDSA
    const { folder, header, payload } = service
    const elsewhere = await temporaryFolder()
    const kid = addKey(elsewhere, 1)
    const key = await privateKeyOf(elsewhere, kid)
    for (const path of [`../${elsewhere.split('/').at(-1)}/${kid}`, join(elsewhere, kid), `${kid}.pem`])
      await expectRefused(service, signWithKey({ ...header, kid: path }, payload, key))
    expect(folder).not.toBe(elsewhere)
  })

  // Each read of the folder delays all requests.
  test('makes an instance read the folder at most once in ten seconds', async () => {
    const { app, folder, payload } = await createKeyApp()
    const header = (kid: string) => ({ alg: 'EdDSA', typ: 'at+jwt', kid })
    app.clock.advance(10)
    expectProblem(await getMe(app, sign(header('unknown'), payload, '')), 'invalid_token')
    const kid = addKey(folder, 2)
    const token = signWithKey(header(kid), payload, await privateKeyOf(folder, kid))
    app.clock.advance(9)
    expectProblem(await getMe(app, token), 'invalid_token')
    app.clock.advance(1)
    expect((await getMe(app, token)).statusCode).toBe(200)
  })
})

describe('a token of the key is refused', () => {
  const claims: [string, unknown][] = [
    ['aud', 'orders'],
    ['aud', ['orders', 'billing']],
    ['aud', []],
    ['aud', undefined],
    ['iss', 'https://other.example.com'],
    ['iss', undefined],
    ['sub', undefined],
    ['sub', 'bob'],
    ['client_id', undefined],
    ['user_id', undefined],
  ]
  test.each(claims)('with %s %j', async (name, value) => {
    const service = shared.EdDSA
    const { folder, kid, header, payload } = service
    const key = await privateKeyOf(folder, kid)
    await expectRefused(service, signWithKey(header, { ...payload, [name]: value }, key))
  })

  // An ID token or a refresh token of another service has the same signature (RFC 9068 section 4).
  test.each(['JWT', 'id+jwt', 'AT+JWT', 'application/at+jwt', '', undefined])('with typ %j', async (typ) => {
    const service = shared.EdDSA
    const { folder, kid, header, payload } = service
    await expectRefused(service, signWithKey({ ...header, typ }, payload, await privateKeyOf(folder, kid)))
  })

  test('if it says that it is a program, not a user', async () => {
    const service = shared.EdDSA
    const { folder, kid, header, payload } = service
    const { token_type: _, username: __, ...others } = payload
    await expectRefused(service, signWithKey(header, others, await privateKeyOf(folder, kid)))
  })
})

describe('a key that was deleted', () => {
  test('ends its tokens within a minute, also those that were verified before', async () => {
    const { app, folder, kid, token } = await createKeyApp()
    expect((await getMe(app, token)).statusCode).toBe(200)
    const next = addKey(folder, 2)
    await rm(join(folder, `${kid}.pem`))
    app.clock.advance(60)
    expectProblem(await getMe(app, token), 'invalid_token')
    const fresh = await logIn(app)
    expect(fresh.startsWith(encode({ alg: 'EdDSA', typ: 'at+jwt', kid: next }))).toBe(true)
    expect((await getMe(app, fresh)).statusCode).toBe(200)
  })

  test('comes back with its file, also for tokens that were verified before', async () => {
    const { app, folder, kid, token } = await createKeyApp()
    addKey(folder, 2)
    await getMe(app, token)
    const file = join(folder, `${kid}.pem`)
    await rename(file, `${file}.away`)
    app.clock.advance(60)
    expectProblem(await getMe(app, token), 'invalid_token')
    await rename(`${file}.away`, file)
    app.clock.advance(60)
    expect((await getMe(app, token)).statusCode).toBe(200)
  })

  test('does not come back by another key under its name', async () => {
    const { app, folder, kid, token } = await createKeyApp()
    await getMe(app, token)
    const { privateKey } = generateKeyPairSync('ed25519')
    await writeFile(join(folder, `${kid}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    app.clock.advance(60)
    expectProblem(await getMe(app, token), 'invalid_token')
    expect((await getMe(app, await logIn(app))).statusCode).toBe(200)
  })
})

// The key may be old because it was stolen.
test('a replaced key verifies its last tokens, and signs nothing new', async () => {
  const service = await createKeyApp()
  const { app, folder, kid, header, payload } = service
  const key = await privateKeyOf(folder, kid)
  addKey(folder, 2, 1)
  app.clock.advance(10 * 60 + 30)
  const now = Math.floor(app.clock.now() / 1000)
  const tokenFrom = (iat: number, exp = iat + 1_800) => signWithKey(header, { ...payload, iat, exp }, key)
  expect((await getMe(app, tokenFrom(now - 60))).statusCode).toBe(200)
  await expectRefused(service, tokenFrom(now))

  const long = tokenFrom(now - 60, now - 60 + 24 * 60 * 60)
  expect((await getMe(app, long)).statusCode).toBe(200)
  app.clock.advance(30 * 60)
  await expectRefused(service, long)
  expectProblem(await getMe(app, tokenFrom(now - 60)), 'token_expired')
})

describe('the secret', () => {
  const secretHeader = { alg: 'HS256', typ: 'at+jwt' }

  /** A service that signed with the secret for a minute, and then got its first key. */
  async function changed() {
    const before = await createTestApp()
    await register(before)
    const token = await logIn(before)
    const folder = await temporaryFolder()
    addKey(folder, 1, 60)
    const app = await createTestApp(keySettings(folder), false, { db: before.db })
    app.clock.advance(61)
    const [, body = ''] = token.split('.')
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString())
    const { secret } = app.config.accessTokens
    const now = Math.floor(app.clock.now() / 1000)
    const tokenFrom = (iat: number, exp = iat + 1_800) => sign(secretHeader, { ...payload, iat, exp }, secret)
    return { app, folder, token, tokenFrom, now }
  }

  // Whoever knows the secret makes tokens of any user. The keys are there to end that.
  test('verifies only tokens from before the first key, for the lifetime of a token', async () => {
    const { app, token, tokenFrom, now } = await changed()
    expect((await getMe(app, token)).statusCode).toBe(200)
    expect((await getMe(app, tokenFrom(now - 2))).statusCode).toBe(200)
    for (const iat of [now - 1, now, now + 60])
      expectProblem(await getMe(app, tokenFrom(iat)), 'invalid_token')
    const long = tokenFrom(now - 2, now - 2 + 24 * 60 * 60)
    expect((await getMe(app, long)).statusCode).toBe(200)
    app.clock.advance(30 * 60)
    expectProblem(await getMe(app, long), 'invalid_token')
    expectProblem(await getMe(app, token), 'token_expired')
  })

  test('does not verify again when the first key is deleted', async () => {
    const { app, folder, tokenFrom, now } = await changed()
    const [first] = await readdir(folder)
    addKey(folder, 2, 3_600)
    await rm(join(folder, `${first}`))
    app.clock.advance(60)
    expectProblem(await getMe(app, tokenFrom(now - 2)), 'invalid_token')
  })

  test('signs nothing, and never verifies beside JWT_PRIVATE_KEY', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const service = await createKeyApp('EdDSA', { JWT_PRIVATE_KEY: pem })
    const { app, header, payload } = service
    expect(header.alg).toBe('EdDSA')
    await expectRefused(service, sign(secretHeader, payload, app.config.accessTokens.secret))
    await expectRefused(service, sign(secretHeader, { ...payload, iat: 1 }, app.config.accessTokens.secret))
  })
})

describe('the service does not start', () => {
  const startWith = async (prepare: (folder: string) => unknown, env: Record<string, string> = {}) => {
    const folder = await temporaryFolder()
    await prepare(folder)
    return createTestApp({ ...keySettings(folder), ...env })
  }
  const pemOf = (
    key: ReturnType<typeof generateKeyPairSync>['privateKey'],
    type: 'pkcs8' | 'pkcs1' = 'pkcs8',
  ) => (key as never as { export(options: object): string }).export({ type, format: 'pem' })
  const write =
    (text: string, name = 'key.pem') =>
    (folder: string) =>
      writeFile(join(folder, name), text, { mode: 0o600 })

  test.skipIf(process.platform === 'win32').each([0o604, 0o640, 0o660, 0o644])(
    'if another user of the machine may read the key: mode %o',
    async (mode) => {
      const started = startWith((folder) => chmod(join(folder, `${addKey(folder, 1)}.pem`), mode))
      await expect(started).rejects.toThrow(
        /^\S+\.pem is open to other users of the machine: chmod 600 \S+\.pem$/,
      )
    },
  )

  test.each([
    [
      'a broken key',
      write('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'),
      'not a private key',
    ],
    ['an empty file', write(''), 'not a private key'],
    [
      'a public key',
      write('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'),
      'not a private key',
    ],
    [
      'a short RSA key',
      write(pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)),
      'must be a key of',
    ],
    [
      'another curve',
      write(pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey)),
      'must be a key of',
    ],
    ['a key exchange key', write(pemOf(generateKeyPairSync('x25519').privateKey)), 'must be a key of'],
    ['a strange name', write('', 'my key\u202e.pem'), 'must have a name of letters'],
    [
      'a file that leads nowhere',
      (folder: string) => symlink('/nowhere', join(folder, 'a.pem')),
      'cannot be read',
    ],
    ['no key', () => undefined, 'has no EdDSA key'],
    ['a key of another algorithm', (folder: string) => addKey(folder, 1, 0, 'ES256'), 'has no EdDSA key'],
  ])('with %s, and one line says why', async (_case, prepare, reason) => {
    const error: Error = await startWith(prepare).catch((error) => error)
    expect(error.name).toBe('ConfigError')
    expect(error.message).toContain(reason)
    expect(error.message).not.toMatch(/\n|BEGIN|AAAA/)
  })

  test.each([
    ['JWT_PRIVATE_KEY', 'no key', 'JWT_PRIVATE_KEY is not a private key'],
    ['JWT_AUDIENCE', 'orders,billing', `JWT_AUDIENCE must include ${ownName}`],
    ['JWT_AUDIENCE', ',', `JWT_AUDIENCE must include ${ownName}`],
  ])('with %s=%s', async (name, value, reason) => {
    await expect(startWith((folder) => addKey(folder, 1), { [name]: value })).rejects.toThrow(reason)
  })
})
