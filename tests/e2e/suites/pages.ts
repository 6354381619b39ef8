import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import { devScript } from '../../support/dev.js'
import { freePort } from '../../support/port.js'
import type { Browser } from '../harness/browser.ts'
import { description, focused, tabTo } from '../harness/keyboard.ts'
import { type Service, startService } from '../harness/service.ts'
import { LOGIN, type Profile } from './accounts.ts'
import { homeSuite } from './home.ts'
import { pageAccountDataSuite } from './page-account-data.ts'
import { barrierSuite } from './page-barriers.ts'
import { freeMails, pageContext, RESET, VERIFY } from './page-context.ts'
import { pageEmailChangeSuite } from './page-email-change.ts'
import { pageEmailLoginSuite } from './page-email-login.ts'
import { pageFailureSuite } from './page-failures.ts'
import { pageOidcSuite } from './page-oidc.ts'
import { pagePasskeysSuite } from './page-passkeys.ts'
import { pageTotpSuite } from './page-totp.ts'

/** The pages of mode complete, in a real browser, against the built service of a project. */
export function pagesSuite(profile: Profile, project: () => Report, browser: () => Browser): void {
  let service: Service
  beforeAll(async () => {
    // The links in the mails lead to FRONTEND_URL: the service itself.
    const port = String(await freePort())
    const env = {
      PORT: port,
      FRONTEND_URL: `http://127.0.0.1:${port}`,
      WEBAUTHN_RP_ID: 'localhost',
      WEBAUTHN_ORIGINS: `http://localhost:${port}`,
      ...freeMails,
      RATE_LIMIT_TOKEN_FAILURES: '30',
    }
    const { directory: cwd } = project()
    service = await startService({ cwd, env, command: ['node', ...devScript(cwd)] })
  })
  afterAll(() => service?.stop())

  const pages = pageContext(profile, () => service, browser)
  const { visit, register, newestMail, isVerified, openWith } = pages

  test('a user registers, opens the mailbox and verifies the email with one click', async () => {
    const { page, context, faults, requests } = await visit()
    const user = await register('clicker')
    const { token } = await newestMail(user.email)
    expect(await isVerified(user)).toBe(false)

    // A mail's text is there before its response has ended, and leaving the page then would abort the request.
    const isMail = (url: string) => url.endsWith('/html')
    const received = context.waitForEvent('requestfinished', (request) => isMail(request.url()))
    await page.goto(`${service.url}/dev/mailbox`)
    await page.getByRole('button', { name: new RegExp(user.email) }).click()
    const mail = page.frameLocator('#html')
    await received
    expect(requests.filter(isMail)).toHaveLength(1)
    const opened = context.waitForEvent('page')
    await mail.getByRole('link', { name: profile === 'A' ? 'Confirm email address' : token }).click()
    const confirm = await opened
    await confirm.getByRole('button', { name: 'Confirm email address' }).click()
    await confirm.getByRole('heading', { name: 'Your email address is confirmed' }).waitFor()

    expect(await isVerified(user)).toBe(true)
    expect(confirm.url()).toBe(`${service.url}/verify-email`)
    await confirm.reload()
    await confirm.getByRole('heading', { name: 'Your email address is confirmed' }).waitFor()
    expect(await confirm.getByRole('link', { name: /^Continue to / }).getAttribute('href')).toBe(
      `${service.url}/account`,
    )
    // Browsers do not send the fragment, and the page sends the code only in the body.
    expect(requests.filter((request) => request.includes(token) && !request.includes('#'))).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  test('opening a link does not verify the email, because mail scanners open links too', async () => {
    const { page, context, faults, requests } = await visit()
    const user = await register('scanned')
    await openWith(page, '/verify-email', await newestMail(user.email))
    await page.getByRole('button', { name: 'Confirm email address' }).waitFor()
    expect(page.url()).toBe(`${service.url}/verify-email`)
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([])
    expect(await isVerified(user)).toBe(false)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a user resets a forgotten password and logs in with the keyboard only', async () => {
    const { page, context, faults } = await visit()
    const user = await register('typist')
    const password = 'Better-Horse-8'
    const press = (key: string) => page.keyboard.press(key)
    const type = (text: string) => page.keyboard.type(text)

    await page.goto(`${service.url}/reset-password`)
    // Whoever comes without a link would type the address into the first field, whatever it is for.
    expect(await page.locator('input:visible').first().getAttribute('name')).toBe('email')
    await tabTo(page, 'Email address')
    await type(user.email)
    await press('Enter')
    await page.getByText(/is on its way/).waitFor()
    expect(await focused(page)).toMatch(/is on its way/)

    const { url, token } = await newestMail(user.email, 'reset')
    if (profile === 'A') {
      // The link opens in the same tab, where only the fragment changes.
      await page.goto(String(url))
      await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
      expect(page.url()).toBe(`${service.url}/reset-password`)
    } else {
      await page.goto(`${service.url}/reset-password`)
      await tabTo(page, 'Code from the email')
      await type(token.toLowerCase().replaceAll('-', ' '))
    }

    await tabTo(page, 'New password')
    await type('Short-1')
    expect(await page.locator('.rules li:not(.met)').first().innerText()).toBe('be at least 8 characters')
    await press('Enter')
    await page.locator('#new-password-error').waitFor()
    expect(await focused(page)).toBe('New password')
    expect(await description(page)).toContain('The password does not meet the rules below.')
    expect(await page.getByText(/be at least 8 characters/).innerText()).toBe('be at least 8 characters')

    await press('Control+A')
    await type(password)
    expect(await page.locator('#new-password-error').isVisible()).toBe(false)
    expect(await page.locator('.rules li:not(.met)').first().isVisible()).toBe(false)
    await tabTo(page, 'Show password')
    await press('Space')
    expect(await focused(page)).toBe('Hide password')
    expect(await page.locator('#new-password').getAttribute('type')).toBe('text')
    await tabTo(page, 'Save password')
    await press('Enter')
    await page.getByRole('heading', { name: 'Your password was changed' }).waitFor()
    expect(await focused(page)).toBe('Your password was changed')

    const logIn = (given: string) => service.post(LOGIN, { username: user.username, password: given })
    expect((await logIn(password)).status).toBe(200)
    expect((await logIn(user.password)).status).toBe(401)
    expect(faults).toEqual([`422: POST ${RESET}`])
    await context.close()
  })

  test('an empty mailbox says what to do', async () => {
    const { page, context } = await visit()
    await page.route('**/messages', (route) => route.fulfill({ status: 200, body: '{"messages":[]}' }))
    await page.goto(`${service.url}/dev/mailbox`)
    await page.getByText(/No email yet. Create a demo user/).waitFor()
    await context.close()
  })

  test('a second request for a mail within the interval says when the next one is possible, also after a reload', async () => {
    const { page, context, faults, requests } = await visit()
    const send = page.getByRole('button', { name: 'Send a new email' })
    const request = async () => {
      if (profile === 'B') await page.locator('summary').click()
      await page.locator('#email').fill('nobody@example.com')
      await send.click()
    }
    await page.goto(`${service.url}/verify-email`)
    await page.evaluate("document.querySelector('#new-email form').dataset.interval = '3600'")
    await request()
    await page.getByText(/is on its way/).waitFor()
    await send.click()
    await page.getByText(/You can request the next one in \d+ minutes\./).waitFor()
    expect(await page.getByText(/is on its way/).isVisible()).toBe(false)
    await page.reload()
    await request()
    await page.getByText(/You can request the next one in \d+ minutes\./).waitFor()
    expect(await page.getByText(/is on its way/).isVisible()).toBe(false)
    expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
    expect(faults).toEqual([])
    await context.close()
  })

  test('links and codes of the other profile are neither accepted nor mentioned', async () => {
    for (const path of ['/verify-email', '/reset-password']) {
      // A new visitor, because leaving a page would abort its requests.
      const { page, context, faults } = await visit()
      await page.goto(`${service.url}${path}${profile === 'A' ? '' : '#token=AAAA-BBBB-CCCC-DDDD'}`)
      if (profile === 'A') await page.locator('#email').waitFor()
      else await page.locator('#token').waitFor()
      expect(await page.getByText('Does your email contain a code instead of a link?').isVisible()).toBe(
        false,
      )
      expect(faults).toEqual([])
      await context.close()
    }
  })

  pageEmailChangeSuite(pages, (page) => browser().barriers(page))
  pageFailureSuite(pages)
  pageAccountDataSuite('complete', pages, (page) => browser().barriers(page))
  pageEmailLoginSuite(pages)
  pageOidcSuite(pages)
  pageTotpSuite(pages)
  pagePasskeysSuite(pages, browser)
  barrierSuite(visit, openWith, (page) => browser().barriers(page))
  homeSuite(
    () => service,
    visit,
    (page) => browser().barriers(page),
  )

  // Must run last, because the limit of the address also applies to the other tests.
  test('a rate limit is shown with the time to wait', async () => {
    const { page, context } = await visit()
    // Before the limit is reached, because opening may take a minute on a busy machine.
    await openWith(page, '/verify-email', { token: 'AAAA-BBBB-CCCC-DDDD' })
    const answer = async () => {
      const tries = Array.from({ length: 31 }, () => service.post(VERIFY, { token: 'AAAA-BBBB-CCCC-DDDD' }))
      expect((await Promise.all(tries)).map(({ status }) => status)).toContain(429)
      const response = page.waitForResponse((response) => response.url().endsWith(VERIFY))
      await page.getByRole('button', { name: 'Confirm email address' }).click()
      return (await response).status()
    }
    // The minute of earlier tests may end between the tries and the click. The next one begins with further tries.
    if ((await answer()) !== 429) expect(await answer()).toBe(429)
    await page.getByText(/^Too many attempts\. Wait \d+ seconds?, then try again\.$/).waitFor()
    await context.close()
  })
}
