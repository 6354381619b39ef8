// Covers docs/gateway.md: proxies that ask auth/check, with the configurations of the page.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildUnchecked } from '../support/build.js'
import { type Running, start } from '../support/command.ts'
import { createLinked, type Report } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { freePort } from '../support/port.js'
import { findProgram } from '../support/programs.js'
import { replaceEach } from '../support/replace.js'
import { blocksOf } from './docs/blocks.ts'
import { newDatabase } from './harness/database.ts'
import { type Service, startService } from './harness/service.ts'
import { loggedIn } from './suites/accounts.ts'

/** How the proxies of the page start, in a folder with their files. */
const PROXIES = {
  // As another account than root, nginx may write nowhere else.
  nginx: {
    files: ['nginx.conf'],
    run: ['-p', '.', '-c', 'nginx.conf', '-g', 'daemon off; pid nginx.pid; error_log stderr;'],
  },
  caddy: { files: ['Caddyfile'], run: ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'] },
  haproxy: { files: ['haproxy.cfg', 'auth-check.lua'], run: ['-db', '-f', 'haproxy.cfg'] },
}
const NGINX_FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${name};`)
  .join(' ')

const SPOOFED = {
  'x-user-id': 'spoofed',
  'x-username': 'spoofed',
  'x-user-email': 'spoofed@example.com',
  'x-user-verified': 'true',
  'x-user-superuser': 'true',
  'x-token-expires': 'spoofed',
  X_User_Id: 'spoofed',
  'X-User_Id': 'spoofed',
  'X_User-Superuser': 'true',
  'X-Token_Expires': 'spoofed',
  X_User_Superuser: 'true',
  x_token_expires: 'spoofed',
  'X.User-Id': 'spoofed',
  'X-User.Id': 'spoofed',
  'X.User.Superuser': 'true',
}

/** What a proxy removes as hop-by-hop (RFC 9110 section 7.6.1) unless its configuration prevents it. */
const IDENTITY = 'X-User-Id, X-Username, X-User-Email, X-User-Verified, X-User-Superuser, X-Token-Expires'

/** An answer that came through a proxy, with the request as the service behind it got it; undefined if it got none. */
interface Passed {
  status: number | undefined
  got: { headers: IncomingHttpHeaders; body: string } | undefined
}

const portOf = (server: Server) => (server.address() as { port: number }).port

/** Resolves when a port accepts connections. */
async function isListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    )
    socket.destroy()
    if (isOpen) return
  }
}

describe('the proxies of docs/gateway.md', () => {
  let project: Report
  let service: Service
  let app: Server
  let env: Record<string, string>
  let got: Passed['got']

  beforeAll(async () => {
    const answers = [
      '--mode',
      'complete',
      '--profile',
      'B',
      '--database',
      'sqlite',
      '--add',
      'gateway',
      '--yes',
    ]
    project = await createLinked(newFolder(), ['my-api', ...answers])
    buildUnchecked(project.directory)
    env = (await newDatabase(project)).env
    service = await startService({ cwd: project.directory, env })
    app = createServer((incoming, outgoing) => {
      let body = ''
      incoming.on('data', (part) => {
        body += part
      })
      incoming.on('end', () => {
        got = { headers: incoming.headers, body }
        outgoing.end('from the app')
      })
    })
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
    return async () => {
      app.close()
      await service.stop()
    }
  })

  /** Starts a proxy with the configuration of the page, on free ports. @returns its port */
  async function startProxy(name: keyof typeof PROXIES): Promise<{ port: number; running: Running }> {
    const folder = newFolder()
    const port = await freePort()
    const page = readFileSync(join(project.directory, 'docs/gateway.md'), 'utf8')
    for (const file of PROXIES[name].files) {
      const block = blocksOf('docs/gateway.md', page).find((each) => each.file?.split('/').at(-1) === file)
      const text = replaceEach(block?.text ?? '', [
        ['http {', `http { access_log off; ${NGINX_FOLDERS}`],
        ['127.0.0.1:3000', service.url.replace('http://', '')],
        ['127.0.0.1:4000', `127.0.0.1:${portOf(app)}`],
        ['127.0.0.1:8080', `127.0.0.1:${port}`],
      ])
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    const path = `${process.env.PATH}${delimiter}/usr/sbin`
    const running = start(name, PROXIES[name].run, { cwd: folder, env: { PATH: path, HOME: folder } })
    await Promise.race([
      isListening(port),
      running.ended.then(({ stdout, stderr }) => Promise.reject(new Error(stdout + stderr))),
    ])
    return { port, running }
  }

  describe.each(Object.keys(PROXIES) as (keyof typeof PROXIES)[])('%s', (name) => {
    let port: number
    const missing = findProgram(name) ? undefined : `${name} is not installed`
    if (missing) return test(`${name} asks`, (context) => context.skip(missing))

    beforeAll(async () => {
      const proxy = await startProxy(name)
      port = proxy.port
      return async () => {
        proxy.running.signal('SIGKILL')
        await proxy.running.ended
      }
    })

    /** Sends a request through the proxy, with its headers as they are written. */
    const send = (headers: Record<string, string | string[]> = {}, body?: string): Promise<Passed> => {
      got = undefined
      return new Promise((resolve, reject) => {
        const method = body === undefined ? 'GET' : 'POST'
        const sent = request({ host: '127.0.0.1', port, method, path: '/a?b=c', headers }, (response) => {
          response.resume().once('end', () => resolve({ status: response.statusCode, got }))
        })
        sent.once('error', reject).end(body)
      })
    }
    /** The headers of the app's request that name a user, in any spelling that a framework may read as one. */
    const userHeaders = ({ got }: Passed) =>
      Object.fromEntries(
        Object.entries(got?.headers ?? {}).filter(([key]) => /^x[^a-z0-9](user|token)/i.test(key)),
      )

    test('lets a user in, and says who it is', async () => {
      const { id, token } = await loggedIn(service, `${name}-one`)
      const passed = await send({ authorization: `Bearer ${token}` })
      expect(passed.status).toBe(200)
      expect(userHeaders(passed)).toEqual({
        'x-user-id': String(id),
        'x-username': `${name}-one`,
        'x-user-email': `${name}-one@example.com`,
        'x-user-verified': 'false',
        'x-user-superuser': 'false',
        'x-token-expires': expect.stringMatching(/^\d{10}$/),
      })
    })

    test('lets nobody else in, whatever headers they send', async () => {
      for (const headers of [{}, SPOOFED, { ...SPOOFED, authorization: 'Bearer x' }])
        expect(await send(headers)).toEqual({ status: 401, got: undefined })
    })

    test('replaces or drops what a user sends, in every spelling', async () => {
      const { id, token } = await loggedIn(service, `${name}-two`)
      const authorization = `Bearer ${token}`
      const twice = { 'X-User-Id': ['spoofed', 'spoofed'], 'X-USER-SUPERUSER': ['true', 'true'] }
      for (const spoofed of [SPOOFED, twice]) {
        const passed = await send({ ...spoofed, authorization })
        expect(passed.status).toBe(200)
        expect(userHeaders(passed)).toMatchObject({ 'x-user-id': String(id), 'x-user-superuser': 'false' })
        expect(JSON.stringify(passed.got)).not.toMatch(/spoofed|x[_.]user/i)
      }
    })

    // Without them, a service may take the request for one of nobody, or of itself.
    test.each([
      ['named', [IDENTITY]],
      ['named in lower case, beside others', [`close, ${IDENTITY.toLowerCase()}`]],
      ['named beside an upgrade', [`Upgrade, ${IDENTITY}`]],
      ['named in a second line', ['keep-alive', IDENTITY]],
      ['named without spaces', [IDENTITY.replaceAll(' ', '\t')]],
    ])('says who it is if a client names the headers in Connection (%s)', async (given, connection) => {
      const { id, token } = await loggedIn(service, `${name}-hop-${given.replaceAll(/\W/g, '')}`.slice(0, 30))
      for (const field of ['Connection', 'Proxy-Connection', 'Keep-Alive', 'TE']) {
        const passed = await send({ authorization: `Bearer ${token}`, [field]: connection })
        // One that is refused does not reach the app either.
        expect([passed.status, Object.keys(userHeaders(passed)).length], field).toEqual(
          passed.got ? [200, 6] : [400, 0],
        )
        if (passed.got) expect(userHeaders(passed)).toMatchObject({ 'x-user-id': String(id) })
      }
    })

    test('lets nobody in with two credentials, of which a service may read the other one', async () => {
      const { token } = await loggedIn(service, `${name}-five`)
      for (const authorization of [
        [`Bearer ${token}`, 'Bearer x'],
        ['Bearer x', `Bearer ${token}`],
        [`Bearer ${token}`, `Bearer ${token}`],
      ]) {
        const { status, got: reached } = await send({ Authorization: authorization })
        expect([[400, 401].includes(status ?? 0), reached]).toEqual([true, undefined])
      }
    })

    test('passes the body on, and a check does not need it', async () => {
      const { token } = await loggedIn(service, `${name}-three`)
      const passed = await send({ authorization: `Bearer ${token}` }, 'hello')
      expect(passed).toMatchObject({ status: 200, got: { body: 'hello' } })
    })

    test('refuses a revoked token at once', async () => {
      const { token } = await loggedIn(service, `${name}-four`)
      const headers = { authorization: `Bearer ${token}` }
      expect((await send(headers)).status).toBe(200)
      expect((await service.post('/api/v1/auth/logout-all', undefined, { token })).status).toBe(204)
      expect(await send(headers)).toEqual({ status: 401, got: undefined })
    })
  })

  test.for(Object.keys(PROXIES) as (keyof typeof PROXIES)[])(
    '%s lets nobody in while the service is down',
    async (name, context) => {
      if (!findProgram(name)) return context.skip(`${name} is not installed`)
      const own = await startService({ cwd: project.directory, env })
      const { token } = await loggedIn(own, `${name}-down`)
      const before = service
      service = own
      const { port, running } = await startProxy(name)
      service = before
      await own.stop()
      got = undefined
      const { status } = await fetch(`http://127.0.0.1:${port}/`, {
        headers: { authorization: `Bearer ${token}`, ...SPOOFED },
      })
      // Caddy answers 502.
      expect([[502, 503].includes(status), got]).toEqual([true, undefined])
      running.signal('SIGKILL')
      await running.ended
    },
  )
})
