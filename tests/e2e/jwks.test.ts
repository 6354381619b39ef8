import { createPrivateKey, type KeyObject } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type JWTPayload, SignJWT } from 'jose'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { buildUnchecked } from '../support/build.js'
import { succeed } from '../support/command.ts'
import { cli, createLinked, type Report } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { freePort } from '../support/port.js'
import { newDatabase } from './harness/database.ts'
import { type Service, startService } from './harness/service.ts'
import {
  ALGORITHMS,
  type Algorithm,
  missingFor,
  startVerifiers,
  VERIFIERS,
  verifiersOf,
  writeVerifiers,
} from './harness/verifiers.ts'
import { LOGIN, ME, newUser, PASSWORD, REGISTER } from './suites/accounts.ts'

/** The page of a project with all add-ons, which is that of every project of its profile. */
const page = readFileSync(
  new URL('../../examples/complete-b-sqlite-all/docs/jwks.md', import.meta.url),
  'utf8',
)

let project: Report

beforeAll(async () => {
  const answers = ['--mode', 'complete', '--profile', 'B', '--database', 'sqlite', '--add', 'jwks', '--yes']
  project = await createLinked(newFolder(), ['my-api', ...answers])
  buildUnchecked(project.directory)
  expect(readFileSync(join(project.directory, 'docs/jwks.md'), 'utf8')).toBe(page)
})

/** A service whose tokens a new key signs, with a user who is logged in. */
async function startWithKey(algorithm: Algorithm) {
  const cwd = project.directory
  const keys = mkdtempSync(join(newFolder(), 'keys-'))
  const { env: database } = await newDatabase(project)
  const env = { ...database, JWT_ALGORITHM: algorithm, JWT_KEYS_DIR: keys }
  await succeed('node', ['dist/commands/keys.js', 'create'], { cwd, env })
  const service = await startService({ cwd, env })
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.json() as Promise<{ access_token: string }>
  }
  await post(REGISTER, newUser('alice'))
  const { access_token: token } = await post(LOGIN, { username: 'alice', password: PASSWORD })
  const claims: JWTPayload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const [file = ''] = readdirSync(keys)
  const key = createPrivateKey(readFileSync(join(keys, file)))
  return { cwd, env, service, token, claims, key, kid: file.replace('.pem', '') }
}

/** Tokens that no service may accept, by what is wrong with them. */
async function wrongTokens(
  { claims, key, kid }: { claims: JWTPayload; key: KeyObject; kid: string },
  alg: string,
) {
  const sign = (payload: JWTPayload, typ = 'at+jwt') =>
    new SignJWT(payload).setProtectedHeader({ alg, typ, kid }).sign(key)
  const token = await sign(claims)
  const [head, body] = token.split('.')
  const now = Math.floor(Date.now() / 1000)
  return {
    typ: await sign(claims, 'JWT'),
    issuer: await sign({ ...claims, iss: 'https://other.example.com' }),
    audience: await sign({ ...claims, aud: 'other' }),
    // Of a program, as the add-on service-clients issues them: not of a user of the same name.
    program: await sign({ ...claims, sub: 'alice', user_id: undefined, scope: 'orders:read' }),
    time: await sign({ ...claims, iat: now - 1_000, exp: now - 500 }),
    signature: `${head}.${body}.${'A'.repeat(86)}`,
    text: 'no.jwt.here',
  }
}

test('the examples ask the service, whatever its port is', () => {
  const folder = newFolder()
  const ports = new Map(VERIFIERS.map(({ port }) => [port, 24_000 + port - 4_000]))
  writeVerifiers(page, { algorithm: 'ES256', folder, url: 'http://127.0.0.1:40025', kid: 'key', ports })
  const written = readFileSync(join(folder, 'verify-express.js'), 'utf8')
  expect(written).toContain("'http://127.0.0.1:40025/.well-known/jwks.json'")
  expect(written).toContain('listen(24002)')
})

describe.each(ALGORITHMS)('a token of %s', (algorithm) => {
  const ports = new Map<number, number>()
  const ask = (port: number, token?: string) =>
    fetch(`http://127.0.0.1:${ports.get(port)}/orders`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
  let started: Awaited<ReturnType<typeof startWithKey>>

  beforeAll(async () => {
    for (const port of [4010, ...VERIFIERS.map((verifier) => verifier.port)])
      ports.set(port, await freePort())
    // What the proxies protect.
    const orders = createServer(({ headers }, response) =>
      response.end(JSON.stringify({ user: headers['x-user'] })),
    )
    await new Promise<void>((resolve) => orders.listen(ports.get(4010), '127.0.0.1', resolve))

    started = await startWithKey(algorithm)
    const { cwd, env, service, kid } = started
    const folder = newFolder()
    writeVerifiers(page, { algorithm, folder, url: service.url, kid, ports })
    await succeed(
      'bash',
      ['-c', `cd ${cwd} && . ${folder}/write-keys.sh && cp public-keys/* ${folder}/public-keys`],
      { cwd, env },
    )
    const here = verifiersOf(page, algorithm)
    const found = await Promise.all(
      here.map(async (verifier) => ((await missingFor(verifier)) ? [] : [verifier])),
    )
    const running = startVerifiers(found.flat(), folder)
    return async () => {
      for (const one of running) one.signal('SIGTERM')
      orders.close()
      await service.stop()
    }
  })

  test.for(verifiersOf(page, algorithm))('is verified by $name', async (verifier, context) => {
    const { port, name } = verifier
    const reason = await missingFor(verifier)
    if (reason) context.skip(reason)
    const right = await vi.waitUntil(() => ask(port, started.token).catch(() => undefined), {
      timeout: 60_000,
    })
    expect([name, right.status, await right.text()]).toEqual([name, 200, expect.stringContaining('alice')])
    for (const [wrong, token] of Object.entries(await wrongTokens(started, algorithm))) {
      const { status } = await ask(port, token)
      expect([wrong, status]).toEqual([wrong, 401])
    }
    expect((await ask(port)).status).toBe(401)
  })
})

test('a switch of the profile keeps the keys and the hashes of imported users, but accepts no token from before', async () => {
  const answers = ['--mode', 'complete', '--profile', 'A', '--database', 'sqlite', '--add', 'import,jwks']
  const switched = await createLinked(newFolder(), ['my-api', ...answers, '--no-git'])
  const { directory: cwd } = switched
  buildUnchecked(cwd)
  const { env: database } = await newDatabase(switched)
  const settings = { ...database, JWT_KEYS_DIR: mkdtempSync(join(newFolder(), 'keys-')) }
  const former = { ...settings, ALGORITHM: 'EdDSA' }
  await succeed('node', ['dist/commands/keys.js', 'create'], { cwd, env: former })
  const users = join(cwd, 'test/fixtures/django.json')
  await succeed('node', ['dist/commands/user.js', 'import', users, '--format', 'django'], {
    cwd,
    env: former,
  })
  /** Logs one of them in. @returns the token, and the keys that are published */
  const logIn = async (service: Service, username: string) => {
    const { status, body } = await service.post(LOGIN, { username, password: PASSWORD })
    expect(status).toBe(200)
    const published = await fetch(`${service.url}/.well-known/jwks.json`)
    const { keys } = (await published.json()) as { keys: object[] }
    return { token: String(body.access_token), keys }
  }

  const a = await startService({ cwd, env: former })
  const before = await logIn(a, 'ada')
  await a.stop()
  const { code, stdout } = await cli(['regenerate', '--profile', 'B', '--no-install', '--yes'], { cwd })
  expect(code, stdout).toBe(0)
  buildUnchecked(cwd)
  const b = await startService({ cwd, env: { ...settings, JWT_ALGORITHM: 'EdDSA' } })
  expect((await b.get(ME, { token: before.token })).status).toBe(401)
  const after = await logIn(b, 'blaise')
  expect((await b.get(ME, { token: after.token })).body).toMatchObject({ username: 'blaise' })
  await b.stop()
  const header = ({ token }: { token: string }) => token.split('.')[0]
  expect([after.keys, header(after)]).toEqual([before.keys, header(before)])
})
