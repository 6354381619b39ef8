import { existsSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { endAccess } from '../../src/accounts/end-access.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { createGate } from '../support/mailer.ts'

const file = new URL('../../pages/session.js', import.meta.url)

interface Tokens {
  access_token: string
  refresh_token: string
}

interface Tab {
  hasSession(): boolean
  startSession(tokens: Tokens): Promise<void>
  call(method: string, path: string): Promise<{ ok: boolean; code: string }>
  callForTokens(method: string, path: string): Promise<{ ok: boolean }>
  keepPage(): void
  endSession(reason: string, tell?: (token: string) => Promise<unknown>): Promise<void>
}

let tabs = 0
/** Each has its own memory. */
const openTab = (): Promise<Tab> => import(`${file.href}?tab=${++tabs}`)

/** A browser whose requests go to `app`. */
function startBrowser(app: TestApp) {
  const stored = new Map<string, string>()
  const requests: string[] = []
  const listeners: ((event: object) => void)[] = []
  const reload = vi.fn()
  const replaceState = vi.fn()
  let lock: Promise<unknown> = Promise.resolve()
  /** What the network does instead of sending a request. */
  const network: { fail?: (path: string) => Response | Promise<Response> | undefined } = {}

  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
  const request = (_name: string, work: () => unknown) => {
    lock = lock.then(work, work)
    return lock
  }
  vi.stubGlobal('navigator', { locks: { request } })
  vi.stubGlobal('addEventListener', (_type: string, listener: (event: object) => void) =>
    listeners.push(listener),
  )
  vi.stubGlobal('document', { documentElement: { lang: 'en' }, querySelectorAll: () => [] })
  vi.stubGlobal('location', { pathname: '/account', reload })
  vi.stubGlobal('history', { replaceState })
  vi.stubGlobal('fetch', async (path: string, { method, headers, body }: RequestInit) => {
    requests.push(`${method} ${path}`)
    const failed = await network.fail?.(path)
    if (failed) return failed
    const response = await app.inject({
      url: `/${path}`,
      method: method as 'GET',
      headers: headers as Record<string, string>,
      ...(typeof body === 'string' && { body }),
    })
    return new Response(response.body || null, { status: response.statusCode })
  })
  return { stored, requests, listeners, reload, replaceState, network }
}

const logIn = async (app: TestApp) => {
  const body = { username: 'alice', password: 'Correct-Horse-7' }
  return (await app.inject({ method: 'POST', url: '/api/v1/auth/login', body })).json<Tokens>()
}

/** A user's browser, with one tab that is logged in. */
async function start() {
  // Without the grace, a refresh token that is used twice ends the session.
  const app = await createTestApp({ REFRESH_TOKEN_REUSE_GRACE_SECONDS: '0' })
  await register(app)
  const tokens = await logIn(app)
  const browser = startBrowser(app)
  const tab = await openTab()
  await tab.startSession(tokens)
  return { app, tab, tokens, ...browser }
}

afterEach(() => vi.unstubAllGlobals())

// Owners with a front end delete the page.
describe.skipIf(!existsSync(file))('the session of a browser', () => {
  test('is stored as the refresh token only', async () => {
    const { tab, tokens, stored } = await start()
    expect(Object.fromEntries(stored)).toEqual({ refresh_token: tokens.refresh_token })
    expect(await tab.call('GET', 'users/me')).toMatchObject({ ok: true, answer: { username: 'alice' } })
  })

  test('is refreshed once per tab, one tab at a time, and each request is repeated', async () => {
    const { app, tab, requests } = await start()
    const other = await openTab()
    app.clock.advance(3600)
    const calls = [tab, other, tab, other].flatMap((each) => [
      each.call('GET', 'users/me'),
      each.call('GET', 'users/me'),
    ])
    expect((await Promise.all(calls)).map(({ ok }) => ok)).toEqual(Array(8).fill(true))
    expect(requests.filter((request) => request.endsWith('/refresh'))).toHaveLength(2)
  })

  test('is refreshed once per tab without Web Locks too', async () => {
    const { app, tab, requests } = await start()
    vi.stubGlobal('navigator', {})
    app.clock.advance(3600)
    const outcomes = await Promise.all([tab.call('GET', 'users/me'), tab.call('GET', 'users/me')])
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true])
    expect(requests.filter((request) => request.endsWith('/refresh'))).toHaveLength(1)
  })

  test('is not lost if another tab needs a token while the password changes', async () => {
    const { app, tab, network, reload } = await start()
    const other = await openTab()
    const answer = createGate()
    network.fail = (path) =>
      path === 'api/v1/new-password'
        ? answer.passed.then(async () => Response.json(await logIn(app)))
        : undefined
    const changed = tab.callForTokens('POST', 'new-password')
    await app.db.transaction((tx) => endAccess(app.ctx, tx, 1))
    const read = other.call('GET', 'users/me')
    await new Promise(setImmediate)
    answer.open()
    expect([await changed, await read].map(({ ok }) => ok)).toEqual([true, true])
    expect(reload).not.toHaveBeenCalled()
  })

  test('continues after a refresh that failed', async () => {
    const { app, tab, network, stored, reload } = await start()
    app.clock.advance(3600)
    network.fail = () => new Response(null, { status: 503 })
    expect(await tab.call('GET', 'users/me')).toMatchObject({ ok: false })
    network.fail = (path) => {
      if (path.endsWith('/refresh')) throw new TypeError('Failed to fetch')
      return Response.json({ code: 'token_expired' }, { status: 401 })
    }
    expect(await tab.call('GET', 'users/me')).toMatchObject({ ok: false })
    delete network.fail
    expect(await tab.call('GET', 'users/me')).toMatchObject({ ok: true })
    expect(stored.size).toBe(1)
    expect(reload).not.toHaveBeenCalled()
  })

  test('that has ended is forgotten, and the page says so', async () => {
    const { app, tab, stored, reload, replaceState } = await start()
    await app.db.transaction((tx) => endAccess(app.ctx, tx, 1))
    expect(await tab.call('GET', 'users/me')).toMatchObject({ ok: false })
    expect(stored.size).toBe(0)
    expect(reload).toHaveBeenCalledOnce()
    expect(replaceState).toHaveBeenCalledWith(null, '', '#ended')
  })

  // A reload would lose the token of a link.
  test('that ends keeps a page that asks for it', async () => {
    const { app, tab, stored, reload, listeners } = await start()
    tab.keepPage()
    for (const notify of listeners) notify({ key: 'refresh_token', oldValue: 'a', newValue: null })
    await app.db.transaction((tx) => endAccess(app.ctx, tx, 1))
    expect(await tab.call('GET', 'users/me')).toMatchObject({ ok: false })
    expect(tab.hasSession()).toBe(false)
    expect(stored.size).toBe(0)
    expect(reload).not.toHaveBeenCalled()
  })

  test('is refreshed for a route that takes a rejected access token for none', async () => {
    const { tab, network, requests } = await start()
    const isRefreshed = () => requests.includes('POST api/v1/auth/refresh')
    network.fail = (path) => {
      if (path !== 'api/v1/open') return
      return isRefreshed() ? Response.json({}) : Response.json({ code: 'not_authenticated' }, { status: 401 })
    }
    expect(await tab.call('POST', 'open')).toMatchObject({ ok: true })
  })

  test('is forgotten by a logout, also if the service is down', async () => {
    const { tab, tokens, stored, reload } = await start()
    const tell = vi.fn(async () => expect(stored.size).toBe(0))
    await tab.endSession('logged-out', tell)
    expect(tell).toHaveBeenCalledWith(tokens.refresh_token)
    expect(tab.hasSession()).toBe(false)
    expect(reload).toHaveBeenCalledOnce()
  })

  // The tab would show one user, and act for another.
  test.each([
    ['logs out', 'a', null, 1],
    ['logs in', null, 'b', 1],
    ['refreshes', 'a', 'b', 0],
  ])('if another tab %s, the page is loaded again: %s → %s', async (_, oldValue, newValue, times) => {
    const { listeners, reload } = await start()
    for (const notify of listeners) notify({ key: 'refresh_token', oldValue, newValue })
    expect(reload).toHaveBeenCalledTimes(times)
  })

  test('of another login replaces the one before with a gap that other tabs see', async () => {
    const { tab, tokens, stored } = await start()
    const removed = vi.spyOn(stored, 'delete')
    await tab.startSession({ ...tokens, refresh_token: 'of-another-user' })
    expect(removed).toHaveBeenCalledWith('refresh_token')
    expect(stored.get('refresh_token')).toBe('of-another-user')
  })
})
