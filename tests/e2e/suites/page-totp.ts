import { expect, test } from 'vitest'
import type { Page } from '../harness/browser.ts'
import { focused } from '../harness/keyboard.ts'
import { LOGIN, type newUser } from './accounts.ts'
import { click, heading, type PageContext, shownCode } from './page-context.ts'

/** The pages of authenticator apps. */
export function pageTotpSuite(pages: PageContext): void {
  const { service, visit, registerVerified, logIn, newestMail, openWith } = pages
  const { expectNoBarriers, forget } = pages

  /** Turns the app on. @returns its secret, and the recovery codes */
  async function turnOn(page: Page, { email }: ReturnType<typeof newUser>) {
    await click(page, 'Set up an app')
    await page.locator('#confirm-app svg').waitFor()
    expect(await focused(page)).toMatch(/^Scan this picture/)
    await expectNoBarriers(page)
    const secret = await page.locator('#confirm-app code').innerText()
    await page.locator('#app-code').fill('000000')
    await click(page, 'Turn on the app')
    await page.getByText('We sent a code to your email address.').waitFor()
    expect(await focused(page)).toMatch(/^We sent a code/)
    const { token } = await newestMail(email, 'emailed_token')
    await page.locator('#app-code').fill(shownCode(secret))
    await page.locator('#app-email-code').fill('AAAA-BBBB-CCCC-DDDD')
    await click(page, 'Turn on the app')
    await page.getByText('The code from the email is not valid.').waitFor()
    expect(await page.getByText('We sent a code').isVisible()).toBe(false)
    await page.locator('#app-email-code').fill(token.toLowerCase())
    await click(page, 'Turn on the app')
    await page.locator('#recovery-codes').waitFor()
    expect(await focused(page)).toMatch(/^These are your recovery codes/)
    const codes = (await page.locator('#recovery-codes ul').innerText()).split('\n')
    expect(codes).toHaveLength(10)
    expect(await page.locator('#confirm-app').isVisible()).toBe(false)
    await expectNoBarriers(page)
    return { secret, codes }
  }

  test('a user turns an app on, logs in with its code, and turns it off', async () => {
    const { page, context, faults, requests } = await visit()
    const user = await registerVerified('app-user')
    await page.goto(`${service().url}/account`)
    await logIn(page, user)
    await heading(page, 'Your account')
    await click(page, 'Set up an app')
    await page.locator('#confirm-app svg').waitFor()
    await click(page, 'Cancel')
    expect(await focused(page)).toBe('Authenticator app')
    expect(await page.locator('#confirm-app code').textContent()).toBe('')
    const { secret, codes } = await turnOn(page, user)

    await click(page, 'Log out')
    await heading(page, 'Log in')
    await logIn(page, user)
    await heading(page, 'Enter a code')
    expect(await focused(page)).toBe('Enter a code')
    await expectNoBarriers(page)
    await click(page, 'Log in')
    expect(await focused(page)).toBe('Code')
    await page.locator('#second-factor-code').fill('000000')
    await click(page, 'Log in')
    await page.getByText('This code is not valid. A code works once').first().waitFor()
    await click(page, 'Start over')
    await heading(page, 'Log in')
    await logIn(page, user)
    await page.locator('#second-factor-code').fill(shownCode(secret, 1))
    await click(page, 'Log in')
    await heading(page, 'Your account')
    await page.getByText('Recovery codes left: 10.').waitFor()
    await expectNoBarriers(page)

    await page.locator('#turn-off-code').fill(codes[0] ?? '')
    await click(page, 'Turn off the app')
    await page.getByText('Protect your account with a second step.').waitFor()
    expect(await focused(page)).toBe('Authenticator app')
    const { status } = await service().post(LOGIN, { username: user.username, password: user.password })
    expect(status).toBe(200)
    expect(requests.filter((request) => /[?#](?!use_cookies=true$)/.test(request))).toEqual([])
    expect(faults.filter((fault) => !/^40[013]: POST/.test(fault))).toEqual([])
    await context.close()
  })

  test('a recovery code finishes a login, also before a change of the address', async () => {
    const { page, context } = await visit()
    await page.setViewportSize({ width: 360, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    const user = await registerVerified('recoverer')
    await page.goto(`${service().url}/account`)
    await logIn(page, user)
    await heading(page, 'Your account')
    const { codes } = await turnOn(page, user)
    await page.locator('#email').fill('recovered@example.com')
    await click(page, 'Change email address')
    await page.locator('#pending-email').waitFor()
    const mail = await newestMail('recovered@example.com', 'confirm')
    await forget({ page, context })
    await openWith(page, '/verify-email', mail)
    await click(page, 'Confirm email address')
    await heading(page, 'Log in to confirm the address')
    await logIn(page, user)
    await heading(page, 'Enter a code')
    await page.locator('#second-factor-code').fill(codes[0]?.toLowerCase().replace('-', ' ') ?? '')
    await click(page, 'Log in')
    await heading(page, 'Your email address was changed')
    await context.close()
  })
}
