import { expect, test } from 'vitest'
import type { Page } from '../harness/browser.ts'
import { focused } from '../harness/keyboard.ts'
import type { newUser } from './accounts.ts'
import { click, type PageContext, RESET, shownCode, heading as waitForHeading } from './page-context.ts'

const OFFER = 'Continue with a provider for development'
const PAVEL = { username: 'pavel', email: 'pavel@example.com', password: 'Other-Horse-7' }

/** The pages of sign-in with providers, with the one of development. Its two users belong to one test after the other. */
export function pageOidcSuite(pages: PageContext): void {
  const {
    service,
    visit,
    registerVerified,
    logIn,
    newestMail,
    nextMail,
    askForMail,
    turnOnApp,
    openWith,
    expectNoBarriers,
  } = pages

  const account = () => `${service().url}/account`
  const fact = (page: Page, name: string) => page.locator(`.facts [data-user=${name}]`).textContent()

  /** Waits for all that a page loads, too: leaving it before would abort that. */
  async function heading(page: Page, name: string) {
    await waitForHeading(page, name)
    await page.waitForLoadState('networkidle')
  }

  /** Goes on at the provider. @param choice a user, or Cancel */
  async function choose(page: Page, choice: string) {
    await page.getByRole('heading', { name: 'Choose a user' }).waitFor()
    await page.getByRole('link', { name: choice, exact: true }).click()
  }

  async function signIn(page: Page, choice: string, path = '/account') {
    await page.goto(service().url + path)
    await page.getByRole('button', { name: OFFER }).waitFor()
    await page.waitForLoadState('networkidle')
    await click(page, OFFER)
    await choose(page, choice)
  }

  async function fits(page: Page) {
    for (const width of [320, 360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await expectNoBarriers(page)
    }
  }

  // The browser opens the provider, which aborts what a page has not finished: the library and the options of passkeys. With
  // cookies, the account page asks the service whether a visitor has a session.
  const always =
    /^to others: GET http:\/\/127\.0\.0\.1:|^failed: .*(webauthn|passkeys)|^401: GET \/api\/v1\/users\/me$/

  /** What happened that nobody asked for. @param refused what a test tries, and the service refuses */
  const unexpected = (faults: string[], refused: RegExp) =>
    faults.filter((fault) => !always.test(fault) && !refused.test(fault))

  const never = /^$/

  test('a provider registers a user, logs them in again, and leads back to where they came from', async () => {
    const { page, context, faults, requests } = await visit()
    await page.goto(`${service().url}/register`)
    await page.getByRole('button', { name: OFFER }).waitFor()
    await fits(page)
    await signIn(page, 'Olga', '/register')
    await heading(page, 'Your account')
    expect([await fact(page, 'username'), await fact(page, 'email')]).toEqual(['olga', 'olga@example.com'])
    expect(page.url()).toBe(account())
    await page.locator('#linked-accounts li').getByText('olga@example.com').waitFor()
    await fits(page)

    await click(page, 'Log out')
    await heading(page, 'Log in')
    await page.getByRole('button', { name: OFFER }).waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await fits(page)
    await signIn(page, 'Olga')
    await heading(page, 'Your account')
    expect(await fact(page, 'username')).toBe('olga')

    await click(page, 'Log out')
    await heading(page, 'Log in')
    await signIn(page, 'Olga', '/account?return_to=/verify-email')
    await expect.poll(() => page.url()).toBe(`${service().url}/verify-email`)
    // What the address of the page contained is in no request and not in the history.
    expect(
      requests.filter((request) => /sign-in.*[?#].*code/.test(request) && !request.includes('#')),
    ).toEqual([])
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}')
    expect(unexpected(faults, never)).toEqual([])
    await context.close()
  })

  test('a user whose address is not verified there confirms it while logged in, and keeps a way to log in', async () => {
    const { page, context, faults } = await visit()
    await signIn(page, 'Pavel')
    await heading(page, 'Your account')
    const mail = await newestMail(PAVEL.email, 'verification')
    const other = await visit()
    await openWith(other.page, '/verify-email', mail)
    await click(other.page, 'Confirm email address')
    await heading(other.page, 'Log in to confirm the address')
    await expectNoBarriers(other.page)
    await other.context.close()
    await openWith(page, '/verify-email', mail)
    await click(page, 'Confirm email address')
    await heading(page, 'Your email address is confirmed')

    await page.goto(account())
    await click(page, 'Unlink: a provider for development')
    expect(await focused(page)).toMatch(/^Unlink a provider for development\?/)
    await fits(page)
    await click(page, 'Unlink the account')
    await page.getByText('This is your only way to log in. Set a password first.').waitFor()
    await expectNoBarriers(page)
    await page.getByRole('link', { name: /^choose a new/i }).click()
    await page.waitForURL(`${service().url}/reset-password`)
    await page.waitForLoadState('networkidle')

    await askForMail('forgot-password', PAVEL.email)
    const { token } = await nextMail(PAVEL, 'reset')
    expect((await service().post(RESET, { token, new_password: PAVEL.password })).status).toBe(200)
    await page.goto(account())
    await heading(page, 'Log in')
    await logIn(page, PAVEL)
    await heading(page, 'Your account')
    await unlink(page, PAVEL)
    expect(unexpected(faults, /^40[139]: (POST|DELETE)/)).toEqual([])
    await context.close()
  })

  /** Unlinks the account of a user without a second factor. */
  async function unlink(page: Page, user: Pick<ReturnType<typeof newUser>, 'email'>) {
    await click(page, 'Unlink: a provider for development')
    await click(page, 'Unlink the account')
    await page.locator('#unlink-account-email-code').waitFor()
    expect(await focused(page)).toBe('Code from the email')
    await expectNoBarriers(page)
    await page.locator('#unlink-account-email-code').fill((await nextMail(user, 'emailed_token')).token)
    await click(page, 'Unlink the account')
    await page.locator('#linked-accounts li').waitFor({ state: 'hidden' })
    expect(await focused(page)).toBe('Linked accounts')
  }

  test('a sign-in that fails says why', async () => {
    const { page, context, faults } = await visit()
    for (const [path, sentence] of [
      ['/sign-in', 'This sign-in has not begun in this tab, or it is over.'],
      ['/sign-in#code=made-up', 'This sign-in has not begun in this tab, or it is over.'],
      ['/sign-in#error=registration_closed', 'Registration is closed.'],
      ['/sign-in#error=%3Cb%3Ex', 'The answer of the other service is not valid, or too late.'],
    ]) {
      await page.goto('about:blank')
      await page.goto(service().url + path)
      await page.getByText(String(sentence)).waitFor()
      await fits(page)
    }
    await signIn(page, 'Pavel')
    await page.getByText('Your email address already has an account here.').waitFor()
    await expectNoBarriers(page)
    await page.waitForLoadState('networkidle')
    await page.getByRole('link', { name: 'Back to the log-in' }).click()
    await heading(page, 'Log in')
    await signIn(page, 'Cancel')
    await page.getByText('You cancelled, so nothing has changed.').waitFor()
    expect(unexpected(faults, never)).toEqual([])
    await context.close()
  })

  test('a user links an account, and its log-in asks for the second factor', async () => {
    const { page, context, faults } = await visit()
    const user = await registerVerified('linker')
    await page.goto(account())
    await heading(page, 'Log in')
    await logIn(page, user)
    await heading(page, 'Your account')
    await linkTo(page, user, 'Pavel')
    await page.locator('#linked-accounts li').getByText('pavel@example.com').waitFor()
    await click(page, 'Log out')
    await heading(page, 'Log in')
    await signIn(page, 'Pavel')
    await heading(page, 'Your account')
    expect(await fact(page, 'username')).toBe('linker')
    await linkTo(page, user, 'Pavel')
    await page.getByText('This account is linked already').waitFor()
    await expectNoBarriers(page)
    await page.waitForLoadState('networkidle')

    const secret = await turnOnApp(user)
    await signIn(page, 'Pavel')
    await heading(page, 'Enter a code')
    await fits(page)
    await page.locator('#second-factor-code').fill(shownCode(secret, 1))
    await click(page, 'Log in')
    await heading(page, 'Your account')
    await click(page, 'Unlink: a provider for development')
    await click(page, 'Unlink the account')
    await page.locator('#unlink-account-code').waitFor()
    expect(await focused(page)).toBe('Code from the app, or a recovery code')
    await fits(page)
    await page.locator('#unlink-account-code').fill('000000')
    await click(page, 'Unlink the account')
    await page.getByText('This code is not valid. Try again, or cancel and start over.').waitFor()
    expect(unexpected(faults, /^40[0139]: (POST|DELETE)/)).toEqual([])
    await context.close()
  })

  /** Links an account of a user without a second factor, up to what the page says. */
  async function linkTo(page: Page, user: ReturnType<typeof newUser>, choice: string) {
    await click(page, 'Link an account')
    await page.locator('#link-account-email-code').waitFor()
    await expectNoBarriers(page)
    await page.locator('#link-account-email-code').fill((await nextMail(user, 'emailed_token')).token)
    await click(page, 'Link an account')
    await choose(page, choice)
  }
}
