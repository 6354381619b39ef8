import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import { devScript } from '../../support/dev.js'
import { freePort } from '../../support/port.js'
import { type Browser, memoryOf, type Page, type Visitor } from '../harness/browser.ts'
import { newDatabase } from '../harness/database.ts'
import { type Service, startService } from '../harness/service.ts'
import { LOGIN, ME, newUser, REGISTER } from './accounts.ts'
import { click, heading } from './page-context.ts'

/** Of one site: browsers send cookies between them. All are this machine, where they accept `Secure` without TLS. */
const [HOST, OUR_APP, SIBLING] = ['auth', 'app', 'evil'].map((name) => `${name}.example.localhost`)
const OTHER_SITE = 'example-login.localhost'

/** What another page tries with the session of a user who visits it. Each is code that runs in that page. */
const attacks = (url: string): [string, string][] => {
  const logout = JSON.stringify(`${url}/api/v1/auth/logout`)
  const me = JSON.stringify(`${url}${ME}`)
  const json =
    "{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}', credentials: 'include' }"
  return [
    [
      'a request whose answer it need not read',
      `fetch(${logout}, { method: 'POST', mode: 'no-cors', credentials: 'include' })`,
    ],
    [
      'a request that looks like a form',
      `fetch(${logout}, { method: 'POST', body: new URLSearchParams({ a: '1' }), mode: 'no-cors', credentials: 'include' })`,
    ],
    ['a request with JSON', `fetch(${logout}, ${json})`],
    ['a request that reads', `fetch(${me}, { credentials: 'include' }).then((answer) => answer.text())`],
    ['a beacon', `navigator.sendBeacon(${logout}, 'a=1')`],
    ['an image', load('img', me)],
    ['a script', load('script', me)],
    [
      'a frame',
      `${load('iframe', JSON.stringify(`${url}/account`))}.then((frame) => frame.contentDocument.body.innerText)`,
    ],
    [
      'a WebSocket',
      `new Promise((done) => {
        const socket = new WebSocket(${me}.replace('http', 'ws'))
        socket.onopen = () => done('open')
        socket.onerror = () => done('')
      })`,
    ],
    ['a cookie of its own', `document.cookie = '__Host-session=x; Secure; Path=/; Domain=example.localhost'`],
    ['a cookie with the plain name', `document.cookie = 'session=x; Path=/; Domain=example.localhost'`],
  ]
}

/** Loads a file into a new element. */
const load = (tag: string, src: string) =>
  `new Promise((done) => {
    const element = document.createElement('${tag}')
    element.onload = element.onerror = () => done(element)
    element.src = ${src}
    document.body.append(element)
  })`

/** The cookies of mode complete, against pages of other origins, in a real browser. */
export function pageCookiesSuite(project: () => Report, browser: () => Browser): void {
  let service: Service
  let url = ''
  let port = 0
  const others = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Another page</title><body></body>')
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => others.listen(0, '127.0.0.1', resolve))
    const address = others.address()
    port = typeof address === 'object' && address ? address.port : 0
    const own = String(await freePort())
    url = `http://${HOST}:${own}`
    // The jobs of another service with this database would follow its own settings.
    const database = await newDatabase(project())
    const settings = { PORT: own, FRONTEND_URL: url, COOKIE_ORIGINS: `http://${OUR_APP}:${port}` }
    const env = { ...database.env, ...settings }
    const { directory: cwd } = project()
    service = await startService({ cwd, env, command: ['node', ...devScript(cwd)] })
  })
  afterAll(async () => {
    await service?.stop()
    await new Promise((resolve) => others.close(resolve))
  })

  async function register(name: string) {
    const user = newUser(name)
    expect((await service.post(REGISTER, user)).status).toBe(201)
    return user
  }

  async function logIn(page: Page, { username, password }: ReturnType<typeof newUser>) {
    await page.locator('#username').fill(username)
    await page.locator('#password').fill(password)
    await click(page, 'Log in')
  }

  /** A visitor whom the pages have logged in. */
  async function visit(name: string) {
    const visitor = await browser().visit(url)
    const user = await register(name)
    await visitor.page.goto(`${url}/account`)
    await logIn(visitor.page, user)
    await heading(visitor.page, 'Your account')
    return { ...visitor, user }
  }

  const sessionOf = async ({ context }: Pick<Visitor, 'context'>) =>
    (await context.cookies()).filter(({ name }) => name === '__Host-session')

  const run = (page: Page, code: string) =>
    page.evaluate<string>(
      `(async () => { try { return String(await (${code}) ?? '') } catch (error) { return 'refused' } })()`,
    )

  test('nothing that a script can reach lets anyone in', async () => {
    const { page, context, user } = await visit('reader')
    const [session] = await sessionOf({ context })
    expect(session).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax' })
    const stored = await page.evaluate<string>(`(async () => JSON.stringify([
      { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state,
      await indexedDB.databases(), await caches.keys(), (await navigator.serviceWorker.getRegistrations()).length,
    ]))()`)
    expect(JSON.parse(stored)).toEqual([{}, {}, '', `${url}/account`, null, [], [], 0])
    const memory = await memoryOf({ page, context })
    // The memory has what the page shows: the search would find what it looks for.
    expect(memory).toContain(user.email)
    expect(memory).not.toContain(session?.value)
    expect(memory).not.toContain(user.password)
    // The beginning of each JWT.
    expect(memory).not.toContain('eyJhbGci')
    await context.close()
  })

  describe.each([
    ['another site', OTHER_SITE],
    ['a sibling domain', SIBLING],
  ])('a page of %s', (_, host) => {
    test('changes nothing and reads nothing', async () => {
      const { page, context, user } = await visit(`victim-${host?.split('.')[0]}`)
      const before = await sessionOf({ context })
      const other = await context.newPage()
      for (const [name, code] of attacks(url)) {
        await other.goto(`http://${host}:${port}/`)
        const seen = await run(other, code)
        expect(seen, name).not.toContain(user.username)
        expect(seen, name).not.toBe('open')
        expect(await sessionOf({ context }), name).toEqual(before)
        const me = await context.newPage()
        await me.goto(`${url}/account`)
        await heading(me, 'Your account')
        expect(await me.locator('.facts [data-user=email]').textContent(), name).toBe(user.email)
        await me.close()
      }
      await page.reload()
      await heading(page, 'Your account')
      await context.close()
    })

    test('cannot log a visitor in as somebody else, nor out, with a form', async () => {
      const { context, user } = await visit(`formed-${host?.split('.')[0]}`)
      const thief = await register(`thief-${host?.split('.')[0]}`)
      const before = await sessionOf({ context })
      const other = await context.newPage()
      const form = (path: string, name: string) => `(() => {
        const form = Object.assign(document.createElement('form'), {
          method: 'post', enctype: 'text/plain', action: ${JSON.stringify(url)} + ${JSON.stringify(path)} })
        const input = Object.assign(document.createElement('input'), { name: ${JSON.stringify(name)}, value: '"}' })
        form.append(input)
        document.body.append(form)
        form.submit()
      })()`
      const { username, password } = thief
      const login = JSON.stringify({ username, password, a: '' }).replace(/"}$/, '')
      // Browsers send the cookie from a sibling domain only. Without it there is nobody to log out, and no form is read.
      const unknown = host === SIBLING ? 403 : 415
      for (const [path, name, status] of [
        [`${LOGIN}?use_cookies=true`, login, 403],
        ['/api/v1/auth/logout', '{"a":"', unknown],
      ] as const) {
        await other.goto(`http://${host}:${port}/`)
        const answered = other.waitForResponse((response) => response.url() === url + path)
        await run(other, form(path, name))
        expect((await answered).status()).toBe(status)
        await other.waitForURL(url + path)
      }
      expect(await sessionOf({ context })).toEqual(before)
      await other.goto(`${url}/account`)
      await heading(other, 'Your account')
      expect(await other.locator('.facts [data-user=username]').textContent()).toBe(user.username)
      await context.close()
    })
  })

  test('a page of an origin in COOKIE_ORIGINS uses the session', async () => {
    const { context, user } = await visit('guest')
    const app = await context.newPage()
    await app.goto(`http://${OUR_APP}:${port}/`)
    const options = "{ credentials: 'include' }"
    expect(await run(app, `fetch('${url}${ME}', ${options}).then((answer) => answer.text())`)).toContain(
      user.email,
    )
    const out = await run(
      app,
      `fetch('${url}/api/v1/auth/logout', { method: 'POST', credentials: 'include' }).then(({ status }) => status)`,
    )
    expect(out).toBe('204')
    expect(await sessionOf({ context })).toEqual([])
    await context.close()
  })

  test('a login leads back to where the user came from, and not to another site', async () => {
    const { page, context } = await browser().visit(url)
    const user = await register('returner')
    const back = `http://${OUR_APP}:${port}/orders?page=2`
    await page.goto(`${url}/login?return_to=${encodeURIComponent(back)}`)
    await logIn(page, user)
    await page.waitForURL(back)

    await page.goto(`${url}/account`)
    await heading(page, 'Your account')
    expect(await page.getByRole('link', { name: /^Continue to / }).getAttribute('href')).toBe(back)
    await context.clearCookies()
    await page.goto(`${url}/account?return_to=${encodeURIComponent(`http://${OTHER_SITE}:${port}/`)}`)
    await logIn(page, user)
    await heading(page, 'Your account')
    await context.close()
  })
}
