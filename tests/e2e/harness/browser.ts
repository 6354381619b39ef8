import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { succeed } from '../../support/command.ts'
import { findProgram } from '../../support/programs.js'

/** Browser driver and accessibility checker. Installed here, because only these tests need them. */
const PACKAGES = ['playwright-core@~1.65.1', 'axe-core@~4.14.1']

// Chromium has no sandbox as root. The other flags prevent background network requests.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The Playwright types that the tests use, because Playwright is not a dependency of the repository. */
export interface Locator {
  click(): Promise<void>
  fill(text: string): Promise<void>
  textContent(): Promise<string | null>
  innerText(): Promise<string>
  inputValue(): Promise<string>
  getAttribute(name: string): Promise<string | null>
  isVisible(): Promise<boolean>
  waitFor(options?: { state?: 'visible' | 'hidden' | 'attached' }): Promise<void>
  locator(selector: string): Locator
  first(): Locator
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  getByText(text: string | RegExp): Locator
}

export interface Page extends Pick<Locator, 'getByRole' | 'getByText' | 'locator'> {
  close(): Promise<void>
  waitForURL(url: string): Promise<void>
  url(): string
  goto(url: string): Promise<unknown>
  reload(): Promise<unknown>
  evaluate<Result>(code: string | (() => Result)): Promise<Result>
  waitForLoadState(state: 'networkidle'): Promise<void>
  waitForEvent(event: 'download'): Promise<{ suggestedFilename(): string; path(): Promise<string> }>
  frameLocator(selector: string): Pick<Locator, 'getByRole' | 'locator'>
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  route(pattern: string, handler: (route: Route) => Promise<void>): Promise<void>
  unroute(pattern: string): Promise<void>
  waitForResponse(predicate: (response: { url(): string }) => boolean): Promise<{ status(): number }>
  setViewportSize(size: { width: number; height: number }): Promise<void>
  emulateMedia(media: { colorScheme: 'light' | 'dark' }): Promise<void>
}

interface Route {
  fulfill(answer: { status: number; headers?: Record<string, string>; body: string }): Promise<void>
}

interface Request {
  url(): string
  method(): string
  failure(): { errorText: string } | null
}

/** Sends commands of the DevTools protocol. */
interface Session {
  send(command: string, options?: object): Promise<{ authenticatorId: string; credentials: unknown[] }>
  on(event: 'HeapProfiler.addHeapSnapshotChunk', listener: (part: { chunk: string }) => void): void
}

interface Context {
  newPage(): Promise<Page>
  newCDPSession(page: Page): Promise<Session>
  addInitScript(code: string): Promise<void>
  setDefaultTimeout(ms: number): void
  close(): Promise<void>
  cookies(): Promise<{ name: string; value: string; httpOnly: boolean; sameSite: string; secure: boolean }[]>
  clearCookies(): Promise<void>
  addCookies(cookies: { name: string; value: string; url: string; httpOnly: boolean }[]): Promise<void>
  setOffline(isOffline: boolean): Promise<void>
  waitForEvent(event: 'page'): Promise<Page>
  waitForEvent(event: 'requestfinished', predicate: (request: Request) => boolean): Promise<Request>
  on(event: 'page', listener: (page: Page) => void): void
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
  on(event: 'weberror', listener: (error: { error(): Error }) => void): void
  on(event: 'request' | 'requestfailed', listener: (request: Request) => void): void
  on(event: 'response', listener: (response: { status(): number; request(): Request }) => void): void
}

/** A visitor with a new browser context: no cookies, no history. */
export interface Visitor {
  page: Page
  context: Context
  /** Every request, as `GET http://…`. */
  requests: string[]
  /**
   * Exceptions, console errors (including CSP violations), failed requests, responses with status 400 and above,
   * and requests to other origins. A test that causes one asserts it.
   */
  faults: string[]
}

export interface Browser {
  /** Opens a new context. @param own origin of the service; requests to other origins are faults */
  visit(own: string, options?: { javaScriptEnabled?: boolean }): Promise<Visitor>
  /** Accessibility violations that axe finds: WCAG 2.2 up to AA, and best practices. */
  barriers(page: Page): Promise<string[]>
  close(): Promise<void>
}

/** A device of the visitor that keeps passkeys, and answers at once. */
export interface Device {
  /** How many passkeys it has. */
  count(): Promise<number>
  /** Whether its user unlocks it from now on. */
  unlocks(isUnlocked: boolean): Promise<void>
}

/** Gives a visitor a device that keeps passkeys. */
export async function addDevice({ context, page }: Visitor): Promise<Device> {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  }
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', { options })
  return {
    count: async () =>
      (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    unlocks: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}

/** All that a page has in memory, as text. */
export async function memoryOf({ context, page }: Pick<Visitor, 'context' | 'page'>): Promise<string> {
  const session = await context.newCDPSession(page)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await session.send('HeapProfiler.takeHeapSnapshot')
  return chunks.join('')
}

/** Path of the installed Chromium, or undefined. The one without windows computes less. */
export const findChromium = (): string | undefined =>
  findProgram(
    ...['chromium-headless-shell', 'chromium', 'chromium-browser'],
    ...['google-chrome-stable', 'google-chrome'],
  )

/** Starts a browser. @param folder a new folder to install the packages in */
export async function startBrowser(executablePath: string, folder: string): Promise<Browser> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  await succeed('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], { cwd: folder })
  const load = createRequire(join(folder, 'package.json'))
  const axe = readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8')
  const browser = await load('playwright-core').chromium.launch({
    executablePath,
    args: FLAGS,
    // Vitest stops its workers with SIGTERM, which Playwright would handle.
    handleSIGTERM: false,
  })
  return {
    visit: async (own, options) => watch(await browser.newContext(options), own),
    barriers: async (page) => {
      await page.evaluate(axe)
      // Halfway through a transition, a color is that of neither state.
      return page.evaluate(`(async () => {
        const running = () => document.getAnimations().filter(({ playState }) => playState === 'running')
        while (running().length > 0) await Promise.allSettled(running().map(({ finished }) => finished))
        const { violations } = await axe.run()
        return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html))
      })()`)
    },
    close: () => browser.close(),
  }
}

async function watch(context: Context, own: string): Promise<Visitor> {
  // The default of 30 seconds is too short for a busy machine.
  context.setDefaultTimeout(300_000)
  const faults: string[] = []
  const requests: string[] = []
  // The same login for a cookie is no other fault.
  const path = (url: string) => url.replace(own, '').replace(/\?use_cookies=true$/, '')
  const what = (request: Request) => `${request.method()} ${path(request.url())}`
  context.on('weberror', (error) => faults.push(`exception: ${error.error().message}`))
  context.on('console', (message) => {
    // Failed requests are recorded below with their URL.
    const isKnown = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isKnown) faults.push(`console: ${message.text()}`)
  })
  context.on('request', (request) => {
    requests.push(`${request.method()} ${request.url()}`)
    if (!request.url().startsWith(`${own}/`) && !request.url().startsWith('data:'))
      faults.push(`to others: ${what(request)}`)
  })
  context.on('requestfailed', (request) => {
    // Browsers abort what a page still loads when the next one is opened, and a response without a body.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') faults.push(`failed: ${what(request)}`)
  })
  context.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${what(response.request())}`)
  })
  return {
    context,
    page: await context.newPage(),
    requests,
    faults,
  }
}
