import { existsSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { endAccess } from '../../src/accounts/end-access.ts'
import { password } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { cookieIn, ownOrigin } from '../support/cookies.ts'
import { registerVerified } from '../support/flows.ts'

const file = new URL('../../pages/session.js', import.meta.url)

interface Tab {
  loginPath(path: string): string
  hasSession(): boolean
  startSession(): Promise<void>
  call(method: string, path: string, body?: object): Promise<{ ok: boolean; code: string }>
  keepPage(): void
  logOut(): Promise<void>
}

let tabs = 0
/** Each has its own memory. */
const openTab = (): Promise<Tab> => import(`${file.href}?tab=${++tabs}`)

/** A browser whose requests go to `app`, with the cookie that the answers set. */
function startBrowser(app: TestApp) {
  const reload = vi.fn()
  const replaceState = vi.fn()
  const channels: { listen: () => void }[] = []
  const jar = { cookie: '' }
  class Channel {
    listen = () => {}
    constructor() {
      channels.push(this)
    }
    addEventListener(_type: string, listener: () => void) {
      this.listen = listener
    }
    postMessage() {
      for (const other of channels) if (other !== this) other.listen()
    }
  }
  vi.stubGlobal('BroadcastChannel', Channel)
  const assign = vi.fn()
  const shown: Partial<Record<string, { value: string }>> = {}
  vi.stubGlobal('document', {
    documentElement: { lang: 'en' },
    querySelector: (id: string) => shown[id] ?? null,
    querySelectorAll: () => [],
  })
  vi.stubGlobal('location', { pathname: '/account', reload, assign })
  vi.stubGlobal('history', { replaceState })
  vi.stubGlobal('fetch', async (path: string, { method, headers, body }: RequestInit) => {
    const response = await app.inject({
      url: `/${path}`,
      method: method as 'GET',
      headers: { ...(headers as Record<string, string>), ...ownOrigin, cookie: jar.cookie },
      ...(typeof body === 'string' && { body }),
    })
    if (response.headers['set-cookie']) jar.cookie = cookieIn(response)
    return new Response(response.body || null, { status: response.statusCode })
  })
  return { jar, reload, replaceState, assign, shown }
}

/** A user's browser, with one tab that is logged in. */
async function start() {
  const app = await createTestApp()
  const { id } = await registerVerified(app)
  const browser = startBrowser(app)
  const tab = await openTab()
  const outcome = await tab.call('POST', tab.loginPath('auth/login'), { username: 'alice', password })
  expect(outcome.ok).toBe(true)
  await tab.startSession()
  return { app, id, tab, ...browser }
}

afterEach(() => vi.unstubAllGlobals())

// The file is the owner's: they may have deleted it.
describe.runIf(existsSync(file))('the session of the pages', () => {
  test('is a cookie, and reaches a second tab without another login', async () => {
    const { tab, jar } = await start()
    expect(jar.cookie).toMatch(/^session=./)
    expect((await tab.call('GET', 'users/me')).ok).toBe(true)
    expect((await (await openTab()).call('GET', 'users/me')).ok).toBe(true)
  })

  test('is none for a visitor, who stays on the page', async () => {
    const { tab, jar, reload, shown } = await start()
    jar.cookie = ''
    expect((await openTab()).hasSession()).toBe(false)
    shown['#has-session'] = { value: 'true' }
    const visitor = await openTab()
    expect(visitor.hasSession()).toBe(true)
    expect((await visitor.call('GET', 'users/me')).ok).toBe(false)
    expect(visitor.hasSession()).toBe(false)
    expect(reload).not.toHaveBeenCalled()
    expect(tab.hasSession()).toBe(true)
  })

  test('that ends makes a page that has shown the user start over, unless it has to stay', async () => {
    const { app, id, tab, reload, replaceState } = await start()
    const kept = await openTab()
    kept.keepPage()
    await kept.call('GET', 'users/me')
    await tab.call('GET', 'users/me')
    await app.db.transaction((tx) => endAccess(app.ctx, tx, id))
    expect((await kept.call('GET', 'users/me')).code).toBe('invalid_token')
    expect(reload).not.toHaveBeenCalled()
    await tab.call('GET', 'users/me')
    expect(replaceState).toHaveBeenLastCalledWith(null, '', '#ended')
    expect(reload).toHaveBeenCalledTimes(1)
  })

  test('ends in all tabs with a logout, and at the service', async () => {
    const { app, tab, jar, reload } = await start()
    const { cookie } = jar
    await openTab()
    await tab.logOut()
    expect(reload).toHaveBeenCalledTimes(2)
    expect(jar.cookie).toBe('session=')
    const me = await app.inject({ url: '/api/v1/users/me', headers: { cookie } })
    expect(me.statusCode).toBe(401)
  })

  test('of somebody else makes other tabs start over', async () => {
    const { tab, reload } = await start()
    await openTab()
    await tab.startSession()
    expect(reload).toHaveBeenCalledTimes(1)
  })

  test('leads back to where the user came from, unless the page has more to do', async () => {
    const { tab, shown, assign } = await start()
    expect(assign).not.toHaveBeenCalled()
    shown['#return-to'] = { value: 'https://app.example.com/orders' }
    const later = vi.fn()
    void tab.startSession().then(later)
    expect(assign).toHaveBeenCalledExactlyOnceWith('https://app.example.com/orders')
    const kept = await openTab()
    kept.keepPage()
    await kept.startSession()
    expect(assign).toHaveBeenCalledTimes(1)
    // Nothing else is shown until the browser has left.
    expect(later).not.toHaveBeenCalled()
  })
})
