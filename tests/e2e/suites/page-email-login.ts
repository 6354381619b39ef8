import { expect, test } from 'vitest'
import type { Page } from '../harness/browser.ts'
import { LOGIN, type newUser } from './accounts.ts'
import { click, heading, type PageContext, shownCode } from './page-context.ts'

const PATH = '/email-login'

/** The page of logins by email. */
export function pageEmailLoginSuite(pages: PageContext): void {
  const { service, visit, register, registerVerified, nextMail, askForMail, turnOnApp } = pages
  const { openWith, expectNoBarriers, forget } = pages

  /** Asks for an email, and opens what it has. */
  async function requestAndOpen(page: Page, user: ReturnType<typeof newUser>) {
    await askForMail('email-login', user.email)
    await openWith(page, PATH, await nextMail(user, 'email_login'))
  }

  test('a user asks for an email on the page, and logs in with it', async () => {
    const { page, context, faults, requests } = await visit()
    const user = await registerVerified('linked')
    await page.goto(`${service().url}/account`)
    await page.getByRole('link', { name: 'Email me a link to log in' }).click()
    await heading(page, 'Log in by email')
    await expectNoBarriers(page)
    await page.locator('#email').fill(user.email)
    await click(page, 'Send the email')
    await page.getByText('If this address belongs to an account').waitFor()
    await expectNoBarriers(page)
    const mail = await nextMail(user, 'email_login')
    await openWith(page, PATH, mail)
    expect(requests.filter((request) => request.includes('email-login/confirm'))).toEqual([])
    await expectNoBarriers(page)
    await click(page, 'Log in')
    await heading(page, 'Your account')
    expect(page.url()).toBe(`${service().url}/account`)

    await openWith(page, PATH, mail)
    await click(page, 'Log in')
    await page.getByText(/no longer valid|This code is not valid/).waitFor()
    await expectNoBarriers(page)
    // Browsers do not send the fragment, and the page sends the token only in the body.
    expect(requests.filter((each) => each.includes(mail.token) && !each.includes('#'))).toEqual([])
    expect(faults.filter((fault) => !fault.startsWith('400: POST'))).toEqual([])
    await context.close()
  })

  test('the first one verifies the address, on a small dark screen', async () => {
    const { page, context } = await visit()
    await page.setViewportSize({ width: 360, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    const user = await register('unproved')
    await requestAndOpen(page, user)
    await expectNoBarriers(page)
    await click(page, 'Log in')
    await heading(page, 'Your account')
    const { status } = await service().post(LOGIN, { username: user.username, password: user.password })
    expect(status).toBe(401)
    await context.close()
  })

  test('a second factor is asked for', async () => {
    const { page, context } = await visit()
    const user = await registerVerified('linked-app')
    const secret = await turnOnApp(user)
    await requestAndOpen(page, user)
    await click(page, 'Log in')
    await heading(page, 'Enter a code')
    await expectNoBarriers(page)
    await page.locator('#second-factor-code').fill(shownCode(secret, 1))
    await click(page, 'Log in')
    await heading(page, 'Your account')
    await forget({ page, context })

    await requestAndOpen(page, user)
    await click(page, 'Log in')
    await heading(page, 'Enter a code')
    await click(page, 'Start over')
    await heading(page, 'Log in')
    expect(page.url()).toBe(`${service().url}/account`)
    await context.close()
  })
}
