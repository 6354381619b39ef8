import { expect, test } from 'vitest'
import type { Page } from '../harness/browser.ts'
import { focused } from '../harness/keyboard.ts'
import { LOGIN, ME, type newUser } from './accounts.ts'
import { type PageContext, UNDO, VERIFY } from './page-context.ts'

/**
 * The pages that confirm a change of the address with the login of its user, and undo it.
 * @param barriers returns the violations that axe finds in a page
 */
export function pageEmailChangeSuite(pages: PageContext, barriers: (page: Page) => Promise<string[]>): void {
  const { service, visit, register, newestMail, isVerified, openWith, endSession } = pages
  type User = ReturnType<typeof newUser>

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const tokenOf = async ({ username, password }: User): Promise<string> =>
    (await service().post(LOGIN, { username, password })).body.access_token
  const emailOf = async (user: User) => (await service().get(ME, { token: await tokenOf(user) })).body.email

  /** Registers a user with a verified address. */
  async function verified(name: string): Promise<User> {
    const user = await register(name)
    await service().post(VERIFY, { token: (await newestMail(user.email)).token })
    return user
  }

  /** Asks for a change of the address, and returns the email to the new one. */
  async function change(user: User, email: string) {
    expect((await service().put(ME, { email }, { token: await tokenOf(user) })).status).toBe(200)
    return newestMail(email, 'confirm')
  }

  async function logIn(page: Page, { username, password }: User) {
    await page.locator('#username').fill(username)
    await page.locator('#password').fill(password)
    await click(page, 'Log in')
  }

  test('the page of the link asks for the login, and goes on with the token, which is only in memory', async () => {
    const { page, context, faults, requests } = await visit()
    const user = await verified('confirmer')
    const mail = await change(user, 'confirmed@example.com')
    await openWith(page, '/verify-email', mail)
    await click(page, 'Confirm email address')
    await heading(page, 'Log in to confirm the address')
    expect(await focused(page)).toBe('Log in to confirm the address')
    expect(await page.getByText('You are logged in to another account').isVisible()).toBe(false)
    expect(await barriers(page)).toEqual([])
    expect(await emailOf(user)).toBe(user.email)

    const kept =
      '[location.href, JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }])].join()'
    expect(await page.evaluate<string>(kept)).toBe(`${service().url}/verify-email,[null,{},{}]`)
    await logIn(page, { ...user, password: 'Wrong-Horse-7' })
    await page.getByText('The username, the email address or the password is wrong.').waitFor()
    await logIn(page, user)
    await heading(page, 'Your email address was changed')
    expect(await focused(page)).toBe('Your email address was changed')
    expect(await barriers(page)).toEqual([])
    expect(await emailOf(user)).toBe('confirmed@example.com')
    await page.reload()
    await heading(page, 'Your email address was changed')

    expect(await page.evaluate<string>(kept)).not.toContain(mail.token)
    expect(requests.filter((request) => request.includes(mail.token) && !request.includes('#'))).toEqual([])
    expect(service().running.output()).not.toContain(mail.token)
    expect(faults).toEqual([`401: POST ${VERIFY}`, `401: POST ${LOGIN}`, `401: POST ${VERIFY}`])
    await context.close()
  })

  test('a browser with the login of its user confirms a change at once', async () => {
    const { page, context, faults } = await visit()
    const user = await verified('present')
    await page.goto(`${service().url}/account`)
    await logIn(page, user)
    await heading(page, 'Your account')
    await page.waitForLoadState('networkidle')
    await openWith(page, '/verify-email', await change(user, 'presented@example.com'))
    await click(page, 'Confirm email address')
    await heading(page, 'Your email address was changed')
    expect(await emailOf(user)).toBe('presented@example.com')
    expect(faults).toEqual([`401: POST ${VERIFY}`])
    await context.close()
  })

  test('a browser with the login of another user is told so, and one whose session has ended asks again', async () => {
    const { page, context, faults } = await visit()
    const [user, other] = [await verified('intended'), await verified('bystander')]
    await page.goto(`${service().url}/account`)
    await logIn(page, other)
    await heading(page, 'Your account')
    await page.waitForLoadState('networkidle')
    const mail = await change(user, 'intended-too@example.com')
    await openWith(page, '/verify-email', mail)
    await click(page, 'Confirm email address')
    await page.getByText('You are logged in to another account than the one in the email.').waitFor()
    expect(await emailOf(other)).toBe(other.email)

    const hasCookies = await endSession({ page, context })
    await page.goto('about:blank')
    await openWith(page, '/verify-email', mail)
    await click(page, 'Confirm email address')
    await heading(page, 'Log in to confirm the address')
    expect(await page.getByText('You are logged in to another account').isVisible()).toBe(false)
    await logIn(page, user)
    await heading(page, 'Your email address was changed')
    expect(await emailOf(user)).toBe('intended-too@example.com')
    expect(faults).toEqual([
      `401: POST ${VERIFY}`,
      `400: POST ${VERIFY}`,
      `401: POST ${VERIFY}`,
      hasCookies ? `401: GET ${ME}` : '401: POST /api/v1/auth/refresh',
      `401: POST ${VERIFY}`,
    ])
    await context.close()
  })

  test('a user undoes the change of their address with one click, and not by opening the link', async () => {
    const { page, context, faults } = await visit()
    const user = await verified('mistyper')
    const { token } = await change(user, 'mistyped@example.com')
    await service().post(VERIFY, { token }, { token: await tokenOf(user) })

    const mail = await newestMail(user.email, 'undo')
    await page.goto(`${service().url}/undo-email-change#token=${mail.token}`)
    const button = page.getByRole('button', { name: 'Restore email address' })
    await button.waitFor()
    expect(page.url()).toBe(`${service().url}/undo-email-change`)
    expect(await emailOf(user)).toBe('mistyped@example.com')
    await button.click()
    await heading(page, 'Your email address is restored')
    expect(await focused(page)).toBe('Your email address is restored')
    expect(await page.locator('#done').innerText()).toMatch(/password no longer works.*is on its way/s)
    // Nobody logs in with the password of before.
    expect(await tokenOf(user)).toBe(undefined)
    const { token: reset } = await newestMail(user.email, 'restored')
    const password = 'Better-Horse-8'
    await service().post('/api/v1/auth/reset-password', { token: reset, new_password: password })
    expect(await isVerified({ ...user, password })).toBe(true)
    expect(await emailOf({ ...user, password })).toBe(user.email)

    await page.getByRole('link', { name: 'request another one' }).click()
    await page.locator('#new-email').waitFor()
    expect(page.url()).toBe(`${service().url}/reset-password`)
    // A request that the next page interrupts would count as a fault.
    await page.waitForLoadState('networkidle')
    await page.goto('about:blank')
    await page.goto(`${service().url}/undo-email-change#token=${mail.token}`)
    await button.click()
    await page.getByText(/no longer valid|is not valid/).waitFor()
    expect(faults).toEqual([`400: POST ${UNDO}`])
    await context.close()
  })
}
