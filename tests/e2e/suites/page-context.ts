import { expect } from 'vitest'
import { codeOf, stepAt } from '../../support/totp-codes.js'
import type { Browser, Page, Visitor } from '../harness/browser.ts'
import type { Service } from '../harness/service.ts'
import { LOGIN, ME, newUser, type Profile, REGISTER } from './accounts.ts'
import { type KeptMail, keptMail, type MailKind } from './kept-mails.ts'

export const VERIFY = '/api/v1/auth/verify-email'
export const RESET = '/api/v1/auth/reset-password'
export const UNDO = '/api/v1/auth/undo-email-change'

export type PageContext = ReturnType<typeof pageContext>

/** Shared steps of the page tests. */
export function pageContext(profile: Profile, service: () => Service, browser: () => Browser) {
  const visit = (options?: { javaScriptEnabled: boolean }): Promise<Visitor> =>
    browser().visit(service().url, options)

  /** The browser loses its session, as after its data were cleared. */
  async function forget({ page, context }: Pick<Visitor, 'page' | 'context'>) {
    await context.clearCookies()
    await page.evaluate('localStorage.clear()')
  }

  /** The session ends without the browser being told. @returns whether it was one of a cookie */
  async function endSession({ page, context }: Pick<Visitor, 'page' | 'context'>): Promise<boolean> {
    const cookies = await context.cookies()
    const value = 'no-such-session'
    await context.addCookies(cookies.map(({ name }) => ({ name, value, url: service().url, httpOnly: true })))
    await page.evaluate(`if (localStorage.refresh_token) localStorage.refresh_token = '${value}'`)
    return cookies.length > 0
  }

  async function register(name: string) {
    const user = newUser(name)
    expect((await service().post(REGISTER, user)).status).toBe(201)
    return user
  }

  const newestMail = (to: string, kind: MailKind = 'verification'): Promise<KeptMail> =>
    keptMail(service(), kind, to)

  const used = new Set<string>()

  /** The token of the newest mail of a kind that this has not returned before. */
  async function nextMail({ email }: Pick<ReturnType<typeof newUser>, 'email'>, kind: MailKind) {
    const mail = await keptMail(service(), kind, email, used)
    used.add(mail.token)
    return mail
  }

  /** Asks for an email, elsewhere. After a refusal, there would be none to wait for. */
  async function askForMail(flow: 'email-login' | 'forgot-password', email: string) {
    expect((await service().post(`/api/v1/auth/${flow}`, { email })).status).toBe(202)
  }

  /** Turns on the app of a user, elsewhere. @returns its secret */
  async function turnOnApp(user: ReturnType<typeof newUser>): Promise<string> {
    const { username, password } = user
    const { access_token: token } = (await service().post(LOGIN, { username, password })).body
    const { secret } = (await service().post('/api/v1/auth/totp/setup', undefined, { token })).body
    const confirm = (body: object) => service().post('/api/v1/auth/totp/confirm', body, { token })
    expect((await confirm({})).status).toBe(403)
    const { token: emailed_token } = await nextMail(user, 'emailed_token')
    expect((await confirm({ code: shownCode(secret), emailed_token })).status).toBe(200)
    return secret
  }

  async function isVerified({ username, password }: ReturnType<typeof newUser>): Promise<boolean> {
    const login = await service().post(LOGIN, { username, password })
    return (await service().get(ME, { token: login.body.access_token })).body.is_verified
  }

  /** Opens a page with the link of a mail, or opens it and types the code. */
  async function openWith(
    page: Page,
    path: string,
    { url, token }: Pick<KeptMail, 'url' | 'token'>,
  ): Promise<void> {
    if (profile === 'A') {
      // Another page in between, because a change of only the fragment does not load the page.
      await page.goto('about:blank')
      await page.goto(url ?? `${service().url}${path}#token=${token}`)
    } else {
      await page.goto(service().url + path)
      await page.locator('#token').fill(token)
    }
  }

  async function registerVerified(name: string) {
    const user = await register(name)
    await service().post(VERIFY, { token: (await newestMail(user.email)).token })
    return user
  }

  async function logIn(page: Page, { username, password }: ReturnType<typeof newUser>) {
    await page.locator('#username').fill(username)
    await page.locator('#password').fill(password)
    await click(page, 'Log in')
  }

  /** What axe finds, and whether the page fits the screen. */
  async function expectNoBarriers(page: Page) {
    expect(await browser().barriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  }

  return {
    profile,
    service,
    visit,
    register,
    registerVerified,
    logIn,
    newestMail,
    nextMail,
    askForMail,
    turnOnApp,
    isVerified,
    openWith,
    expectNoBarriers,
    forget,
    endSession,
  }
}

/** One client asks for many emails here, in less time on a faster machine. */
export const freeMails = { RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0', RATE_LIMIT_MAIL_REQUESTS: '1000' }

export const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true }).waitFor()

/** What an app shows. @param later in how many steps of 30 seconds */
export const shownCode = (secret: string, later = 0): string => codeOf(secret, stepAt(Date.now()) + later)
