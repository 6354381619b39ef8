import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { succeed } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { devScript } from '../../support/dev.js'
import { newFolder } from '../../support/folder.ts'
import { replaceEach } from '../../support/replace.js'
import { blocksOf } from '../docs/blocks.ts'
import type { Browser } from '../harness/browser.ts'
import { newDatabase } from '../harness/database.ts'
import { type Service, startService } from '../harness/service.ts'
import { LOGIN, newUser, REGISTER } from './accounts.ts'
import { click } from './page-context.ts'

const PACKAGES = ['react@^19.2.0', 'react-dom@^19.2.0', 'esbuild@^0.28.0']

/** The front ends that docs/ describes, built from the code there. */
export function frontEndsSuite(project: () => Report, browser: () => Browser): void {
  let service: Service
  let url = ''
  let folder = ''
  let page = ''

  /** Serves the page and its script, and lets the service answer for /api, as a proxy does. */
  const frontEnd = createServer((request, response) => {
    if (!request.url?.startsWith('/api/')) {
      const isScript = request.url === '/app.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      response.end(isScript ? readFileSync(join(folder, 'app.js')) : page)
      return
    }
    const { hostname, port } = new URL(service.url)
    const { url: path, method, headers } = request
    const answered = forward({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(answered)
  })

  /** Writes the files that a page of docs/ shows. */
  function writeFrom(doc: string, replace: Record<string, string> = {}) {
    for (const { file, text } of blocksOf(
      doc,
      readFileSync(join(project().directory, 'docs', doc), 'utf8'),
    )) {
      if (!file) continue
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), replaceEach(text, Object.entries(replace)))
    }
  }

  const bundle = (...flags: string[]) =>
    succeed('node_modules/.bin/esbuild', ['--bundle', '--jsx=automatic', '--log-level=error', ...flags], {
      cwd: folder,
    })

  beforeAll(async () => {
    folder = newFolder()
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
    await succeed('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], { cwd: folder })
    await new Promise<void>((resolve) => frontEnd.listen(0, '127.0.0.1', resolve))
    const address = frontEnd.address()
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
    const { directory: cwd } = project()
    // The jobs of another service with this database would follow its own settings.
    const { env } = await newDatabase(project())
    const command = ['node', ...devScript(cwd)] as const
    service = await startService({ cwd, env: { ...env, FRONTEND_URL: url }, command })
  })
  afterAll(async () => {
    await service?.stop()
    await new Promise((resolve) => frontEnd.close(resolve))
  })

  async function register(name: string) {
    const user = newUser(name)
    expect((await service.post(REGISTER, user)).status).toBe(201)
    return user
  }

  test('React: a user logs in, stays logged in and logs out', async () => {
    writeFrom('react.md')
    const main = `import { createRoot } from 'react-dom/client'
import { App } from './app.jsx'
createRoot(document.querySelector('main')).render(<App />)
`
    writeFileSync(join(folder, 'main.jsx'), main)
    page =
      '<!doctype html><html lang="en"><title>Shop</title><main></main><script type="module" src="/app.js"></script>'
    await bundle('main.jsx', '--outfile=app.js', '--format=esm')
    const user = await register('react')
    const { page: tab, context } = await browser().visit(url)
    await tab.goto(url)
    const logIn = async (password: string) => {
      await tab.locator('[name=username]').fill(user.username)
      await tab.locator('[name=password]').fill(password)
      await click(tab, 'Log in')
    }
    await logIn('Wrong-Horse-7')
    await tab.getByText('invalid_credentials').waitFor()
    await logIn(user.password)
    await tab.getByText(`Hello ${user.username}`).waitFor()
    await tab.reload()
    await tab.getByText(`Hello ${user.username}`).waitFor()
    await click(tab, 'Log out')
    await tab.locator('[name=username]').waitFor()
    expect(await context.cookies()).toEqual([])
    await context.close()
  })

  describe('Next.js', () => {
    test('a page shows the user of the request, and leads visitors to the log-in', async () => {
      writeFrom('next.md')
      // What Next.js has for a request.
      const modules = {
        headers: 'export const cookies = async () => ({ get: (name) => globalThis.nextCookies?.[name] })\n',
        navigation: 'export const redirect = (path) => { throw new Error(`to ${path}`) }\n',
      }
      mkdirSync(join(folder, 'node_modules/next'), { recursive: true })
      for (const [name, code] of Object.entries(modules))
        writeFileSync(join(folder, `node_modules/next/${name}.js`), code)
      await bundle('app/orders/page.jsx', '--outfile=page.mjs', '--format=esm', '--platform=node')
      vi.stubEnv('AUTH_URL', service.url)
      const { default: Orders } = await import(pathToFileURL(join(folder, 'page.mjs')).href)
      await expect(Orders()).rejects.toThrow('to /log-in')
      const { username, password } = await register('next')
      const login = await fetch(`${service.url}${LOGIN}?use_cookies=true`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: JSON.stringify({ username, password }),
      })
      const [, name = '', value] = /^([^=]+)=([^;]+)/.exec(login.headers.get('set-cookie') ?? '') ?? []
      vi.stubGlobal('nextCookies', { [name]: { name, value } })
      expect((await Orders()).props.children).toEqual(['Orders of ', username])
      vi.stubGlobal('nextCookies', { [name]: { name, value: 'no-such-session' } })
      await expect(Orders()).rejects.toThrow('to /log-in')
      vi.unstubAllGlobals()
      vi.unstubAllEnvs()
    })

    test('sends requests for the API to the service', async () => {
      writeFrom('next.md')
      vi.stubEnv('AUTH_URL', service.url)
      const { default: config } = await import(pathToFileURL(join(folder, 'next.config.js')).href)
      expect(await config.rewrites()).toEqual([
        { source: '/api/v1/:path*', destination: `${service.url}/api/v1/:path*` },
      ])
      vi.unstubAllEnvs()
    })
  })

  test('a native app logs in, and renews its tokens once for all requests that need it', async () => {
    writeFrom('native-apps.md', { 'http://localhost:3000': service.url })
    const { logIn, call } = await import(pathToFileURL(join(folder, 'auth.js')).href)
    const { username, password } = await register('native')
    expect((await call('GET', 'users/me')).status).toBe(401)
    expect(await logIn(username, 'Wrong-Horse-7')).toBe(false)
    expect(await logIn(username, password)).toBe(true)
    const sent: string[] = []
    const { fetch } = globalThis
    // The token of both has expired.
    let expired = 2
    vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
      sent.push(address.replace(service.url, ''))
      if (address.endsWith('/refresh') || expired === 0) return fetch(address, init)
      expired -= 1
      return new Response(null, { status: 401 })
    })
    const both = [call('GET', 'users/me'), call('GET', 'users/me')]
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
    expect(sent.filter((path) => path === '/api/v1/auth/refresh')).toHaveLength(1)
    vi.unstubAllGlobals()
  })
}
