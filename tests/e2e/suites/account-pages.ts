import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import { devScript } from '../../support/dev.js'
import { freePort } from '../../support/port.js'
import type { Browser, Page } from '../harness/browser.ts'
import { newDatabase } from '../harness/database.ts'
import { focused, tabTo } from '../harness/keyboard.ts'
import { type Service, startService } from '../harness/service.ts'
import { LOGIN, ME, newUser, type Variant } from './accounts.ts'
import { pageAccountDataSuite } from './page-account-data.ts'
import { freeMails, pageContext } from './page-context.ts'

/** The pages to register, log in and change the account, in a real browser. */
export function accountPagesSuite(
  { mode, profile }: Variant,
  project: () => Report,
  browser: () => Browser,
): void {
  let service: Service
  beforeAll(async () => {
    const port = String(await freePort())
    // The jobs of another service with this database would follow its own settings, and write its address into emails.
    const database = await newDatabase(project())
    const env = { ...database.env, ...freeMails, PORT: port, FRONTEND_URL: `http://127.0.0.1:${port}` }
    const { directory: cwd } = project()
    service = await startService({ cwd, env, command: ['node', ...devScript(cwd)] })
  })
  afterAll(() => service?.stop())

  const isComplete = mode === 'complete'
  const hasDevices = isComplete && profile === 'B'
  /** Where the pages keep what lets the browser back in: the browser alone, a script, or nobody. */
  const hasCookies = isComplete && profile === 'B'
  const keys = isComplete && !hasCookies ? ['refresh_token'] : []
  const pages = pageContext(
    profile,
    () => service,
    () => browser(),
  )
  const { visit, register, newestMail, openWith } = pages
  type User = ReturnType<typeof newUser>

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const fact = (page: Page, name: string) => page.locator(`.facts [data-user=${name}]`).textContent()

  async function logIn(page: Page, { username, password }: User) {
    await page.goto(`${service.url}/account`)
    await page.locator('#username').fill(username)
    await page.locator('#password').fill(password)
    await button(page, 'Log in').click()
    await heading(page, 'Your account')
    await page.waitForLoadState('networkidle')
  }

  /** Waits until the page says what the address is, with the focus there. */
  async function settled(page: Page, email: string) {
    await page.getByText(`Your email address is ${email}.`).waitFor()
    expect(await focused(page)).toBe(`Your email address is ${email}.`)
    expect(await fact(page, 'email')).toBe(email)
  }

  /** What the browser stores for the page. */
  const stored = (page: Page): Promise<Record<string, string>> =>
    page.evaluate(
      '({ ...localStorage, ...sessionStorage, ...(document.cookie && { cookie: document.cookie }) })',
    )

  test('a user creates an account, logs in and out with the keyboard only', async () => {
    const { page, context, faults, requests } = await visit()
    const { username, email, password } = newUser(`keys-${mode}`)
    const type = (text: string) => page.keyboard.type(text)
    await page.goto(`${service.url}/register`)
    await tabTo(page, 'Email address')
    await type(email)
    await tabTo(page, 'Username')
    await type(username)
    await tabTo(page, 'Password')
    await type(password)
    await page.keyboard.press('Enter')
    await heading(page, 'Your account is ready')
    expect(await focused(page)).toBe('Your account is ready')
    await page.reload()
    await heading(page, 'Your account is ready')
    expect(await page.locator('#done').textContent()).toContain(username)
    if (isComplete) await openWith(page, '/verify-email', await newestMail(email))
    if (isComplete) await button(page, 'Confirm email address').click()
    if (isComplete) await heading(page, 'Your email address is confirmed')

    await page.waitForLoadState('networkidle')
    await page.goto(`${service.url}/account`)
    await tabTo(page, 'Username or email address')
    await type(email)
    await tabTo(page, 'Password')
    await type(password)
    await page.keyboard.press('Enter')
    await heading(page, 'Your account')
    expect(await focused(page)).toBe('Your account')
    expect(await fact(page, 'username')).toBe(username)
    if (isComplete) expect(await page.locator('#unverified').isVisible()).toBe(false)
    await page.waitForLoadState('networkidle')
    expect(Object.keys(await stored(page))).toEqual(keys)

    await tabTo(page, 'Log out')
    await page.keyboard.press('Enter')
    await page.getByText('You are logged out.').waitFor()
    expect(await stored(page)).toEqual({})
    expect(page.url()).toBe(`${service.url}/account`)
    expect(requests.filter((request) => request.includes(password))).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  test('errors are explained', async () => {
    const { page, context, faults } = await visit()
    const user = await register(`taken-${mode}`)
    await page.goto(`${service.url}/register`)
    await page.locator('#email').fill(user.email)
    await page.locator('#username').fill('x')
    await page.locator('#new-password').fill(user.password)
    await button(page, 'Create account').click()
    await page.locator('#username-error').waitFor()
    expect(await focused(page)).toBe('Username')
    await page.locator('#username').fill(user.username)
    await button(page, 'Create account').click()
    await page.getByText(/already registered/).waitFor()

    await page.goto(`${service.url}/account`)
    await page.locator('#username').fill(user.username)
    await page.locator('#password').fill('Wrong-Horse-7')
    await button(page, 'Log in').click()
    await page.getByText('The username, the email address or the password is wrong.').waitFor()
    const path = '/api/v1/auth/register'
    expect(faults).toEqual([`422: POST ${path}`, `409: POST ${path}`, `401: POST ${LOGIN}`])
    await context.close()
  })

  test('a user changes the email address, and later needs the password', async () => {
    const { page, context, faults } = await visit()
    const user = await register(`mover-${mode}`)
    await logIn(page, user)
    await page.locator('#email').fill(`moved-${mode}@example.com`)
    await button(page, 'Change email address').click()
    if (isComplete) {
      await page.getByText(/Nothing has changed yet/).waitFor()
      expect(await focused(page)).toMatch(/Waiting for confirmation: moved-complete@example\.com/)
      expect(await fact(page, 'email')).toBe(user.email)
      await newestMail('moved-complete@example.com', 'confirm')
      // The service sends nothing to the address of before while the new one waits.
      expect(await page.locator('#unverified').isVisible()).toBe(false)
      await page.reload()
      await page.getByText(/Nothing has changed yet/).waitFor()
      await button(page, 'Cancel the change').click()
      await settled(page, user.email)
      expect(await page.locator('#pending-email').isVisible()).toBe(false)
      await button(page, 'Send another email').click()
      await page.getByText(/another email is on its way/).waitFor()
      await page.reload()
      await heading(page, 'Your account')
      expect(await page.locator('#pending-email').isVisible()).toBe(false)
    } else await settled(page, 'moved-basic@example.com')

    // As after ten minutes.
    await page.route('**/users/me', (route) =>
      route.fulfill({ status: 403, body: '{"code":"reauthentication_required"}' }),
    )
    await page.locator('#email').fill(`again-${mode}@example.com`)
    await button(page, 'Change email address').click()
    await page.getByText(/Enter your password to change the address/).waitFor()
    await page.unroute('**/users/me')
    await page.locator('#email-password').fill('Wrong-Horse-7')
    await button(page, 'Change email address').click()
    await page.getByText('The password is wrong.').waitFor()
    await page.locator('#email-password').fill(user.password)
    await button(page, 'Change email address').click()
    if (isComplete) await page.getByText(/Waiting for confirmation: again-complete@/).waitFor()
    else await settled(page, 'again-basic@example.com')
    expect(await page.locator('#email-password').isVisible()).toBe(false)
    expect(faults).toEqual([`403: PUT ${ME}`, `403: PUT ${ME}`])
    await context.close()
  })

  test('a reload and a second tab stay logged in with a refresh token, and a logout ends both', async () => {
    const { page, context, faults } = await visit()
    const user = await register(`tabs-${mode}`)
    await logIn(page, user)
    await page.reload()
    const second = await context.newPage()
    await second.goto(`${service.url}/account`)
    if (isComplete) {
      await Promise.all([page, second].map((each) => heading(each, 'Your account')))
      await Promise.all([page, second].map((each) => each.waitForLoadState('networkidle')))
    } else {
      await Promise.all([page, second].map((each) => heading(each, 'Log in')))
      await logIn(page, user)
      await logIn(second, user)
    }
    await button(second, 'Log out').click()
    await Promise.all([page, second].map((each) => heading(each, 'Log in')))
    expect(await stored(page)).toEqual({})
    expect(await page.locator('main').innerText()).not.toContain(user.email)
    expect(faults).toEqual([])
    await context.close()
  })

  test.runIf(hasDevices)('a user ends the session of another device, and changes the password', async () => {
    const { page, context, faults } = await visit()
    const user = await register('devices')
    await logIn(page, user)
    const other = await service.post(LOGIN, {
      username: user.username,
      password: user.password,
      device_name: 'Phone',
    })
    await page.reload()
    await button(page, 'Log out: Phone').click()
    await page.getByText('The device is logged out.').waitFor({ state: 'attached' })
    expect(await focused(page)).toBe('Your devices')
    expect((await service.get(ME, { token: other.body.access_token })).status).toBe(401)

    const others = button(page, 'Log out all other devices')
    expect(await others.isVisible()).toBe(false)
    const { username, password } = user
    const third = await service.post(LOGIN, { username, password, device_name: 'Tablet' })
    await page.reload()
    await button(page, 'Log out: Tablet').waitFor()
    await others.click()
    await page.getByText(/^All other devices are logged out\.$/).waitFor({ state: 'attached' })
    expect(await focused(page)).toBe('Your devices')
    expect((await service.get(ME, { token: third.body.access_token })).status).toBe(401)
    expect(await others.isVisible()).toBe(false)
    expect(await fact(page, 'username')).toBe(username)

    await page.locator('#current-password').fill(user.password)
    await page.locator('#new-password').fill('Better-Horse-8')
    await button(page, 'Change password').click()
    await page.getByText(/Your password was changed/).waitFor()
    await page.reload()
    await heading(page, 'Your account')
    await page.waitForLoadState('networkidle')
    const [{ name, value } = { name: '', value: '' }] = await context.cookies()
    const withCookie = () => fetch(`${service.url}${ME}`, { headers: { cookie: `${name}=${value}` } })
    expect((await withCookie()).status).toBe(200)
    await button(page, 'Log out on all devices').click()
    await page.getByText('You are logged out.').waitFor()
    expect((await withCookie()).status).toBe(401)
    expect(faults).toEqual([])
    await context.close()
  })

  // LOGIN_REQUIRES_VERIFIED_EMAIL, for a session from before it was set.
  test.runIf(hasDevices)(
    'a user who must verify the address first sees their account, and why not all',
    async () => {
      const { page, context, faults } = await visit()
      const path = '/api/v1/auth/devices'
      await page.route(`**${path}`, (route) =>
        route.fulfill({ status: 403, body: '{"code":"user_not_verified"}' }),
      )
      await logIn(page, await register('unverified'))
      await page.getByText('Confirm your email address first, with the email that we sent you.').waitFor()
      expect(await focused(page)).toBe('Your account')
      expect(await page.locator('#unverified').isVisible()).toBe(true)
      await page.locator('#email').fill('verified@example.com')
      await button(page, 'Change email address').click()
      await page.getByText(/Nothing has changed yet/).waitFor()
      await button(page, 'Log out on all devices').click()
      await page.getByText('You are logged out.').waitFor()
      expect(faults).toEqual([`403: GET ${path}`, `403: GET ${path}`])
      await context.close()
    },
  )

  test.runIf(isComplete)('a session that has ended leads to the log-in, which says so', async () => {
    const { page, context, faults } = await visit()
    await logIn(page, await register('ended'))
    await pages.endSession({ page, context })
    if (hasCookies) await button(page, 'Log out on all devices').click()
    else await page.reload()
    await page.getByText('Your session has ended. Log in again.').waitFor()
    expect(await stored(page)).toEqual({})
    expect(faults).toEqual(
      hasCookies
        ? ['401: POST /api/v1/auth/logout-all', `401: GET ${ME}`]
        : ['401: POST /api/v1/auth/refresh'],
    )
    await context.close()
  })

  describe.each(['light', 'dark'] as const)('color scheme %s', (colorScheme) => {
    test('has no accessibility violation, and fits 320 pixels at twice the text size', async () => {
      const { page, context } = await visit()
      await page.emulateMedia({ colorScheme })
      const states: string[][] = []
      const check = async () => {
        states.push(await browser().barriers(page))
        await page.setViewportSize({ width: 320, height: 640 })
        await page.evaluate('document.documentElement.style.fontSize = "200%"')
        const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        expect(await page.evaluate(overflow)).toBe(0)
        await page.evaluate('document.documentElement.style.fontSize = ""')
      }
      await page.goto(`${service.url}/register`)
      await button(page, 'Create account').click()
      await check()
      await page.goto(`${service.url}/account`)
      await button(page, 'Log in').click()
      await check()
      await logIn(page, await register(`seen-${mode}-${colorScheme}`))
      await check()
      expect(states).toEqual([[], [], []])
      await context.close()
    })
  })

  // Those of mode complete run with its other pages.
  if (!isComplete) pageAccountDataSuite(mode, pages, (page) => browser().barriers(page))

  test('without JavaScript the pages say that they need JavaScript', async () => {
    const { page, context } = await visit({ javaScriptEnabled: false })
    for (const path of ['/register', '/account']) {
      await page.goto(service.url + path)
      expect(await page.locator('main').innerText()).toContain('This page needs JavaScript')
      expect(await page.getByRole('button').first().isVisible()).toBe(false)
    }
    await context.close()
  })
}
