import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Browser } from '../harness/browser.ts'
import { description, focused, tabTo } from '../harness/keyboard.ts'
import { freePort } from '../harness/port.ts'
import type { Report } from '../harness/project.ts'
import { type Service, startService } from '../harness/service.ts'
import { LOGIN, type Profile } from './accounts.ts'
import { barrierSuite } from './page-barriers.ts'
import { pageContext, RESET, VERIFY } from './page-context.ts'
import { pageFailureSuite } from './page-failures.ts'

/** The pages of mode complete, in a real browser, against the built service of a project. */
export function pagesSuite(profile: Profile, project: () => Report, browser: () => Browser): void {
  let service: Service
  beforeAll(async () => {
    // The links in the mails lead to FRONTEND_URL: the service itself.
    const port = String(await freePort())
    const env = {
      PORT: port,
      FRONTEND_URL: `http://127.0.0.1:${port}`,
      RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0',
    }
    service = await startService({ cwd: project().directory, env })
  })
  afterAll(() => service?.stop())

  const pages = pageContext(profile, () => service, browser)
  const { visit, register, newestMail, isVerified, openWith } = pages

  test('register, open the mailbox, click: verified', async () => {
    const { page, context, faults, requests } = await visit()
    const user = await register('clicker')
    const { token } = await newestMail(user.email)
    expect(await isVerified(user)).toBe(false)

    await page.goto(`${service.url}/dev/mailbox`)
    await page.getByRole('button', { name: new RegExp(user.email) }).click()
    const mail = page.frameLocator('#html')
    let confirm = page
    if (profile === 'A') {
      const opened = context.waitForEvent('page')
      await mail.getByRole('link', { name: 'Confirm email address' }).click()
      confirm = await opened
    } else {
      const code = await mail.locator(`text=${token}`).first().innerText()
      await page.goto(`${service.url}/verify-email`)
      await page.locator('#token').fill(code)
    }
    await confirm.getByRole('button', { name: 'Confirm email address' }).click()
    await confirm.getByRole('heading', { name: 'Your email address is confirmed' }).waitFor()

    expect(await isVerified(user)).toBe(true)
    expect(confirm.url()).toBe(`${service.url}/verify-email`)
    // The browser keeps the fragment to itself, and the code is sent in the body only.
    expect(requests.filter((request) => request.includes(token) && !request.includes('#'))).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  test('opening a link verifies nobody: a mail scanner does that too', async () => {
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

  test('forgot, mailbox, new password, log in: with the keyboard alone', async () => {
    const { page, context, faults } = await visit()
    const user = await register('typist')
    const password = 'Better-Horse-8'
    const press = (key: string) => page.keyboard.press(key)
    const type = (text: string) => page.keyboard.type(text)

    await page.goto(`${service.url}/reset-password`)
    if (profile === 'B') {
      await tabTo(page, 'I need a code')
      await press('Enter')
    }
    await tabTo(page, 'Email address')
    await type(user.email)
    await press('Enter')
    await page.getByText(/is on its way/).waitFor()
    expect(await focused(page)).toMatch(/is on its way/)

    const { url, token } = await newestMail(user.email)
    if (profile === 'A') {
      // In the same tab: only the fragment changes.
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
    expect(await description(page)).toContain('Password must be at least 8 characters')

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
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor()
    expect(await focused(page)).toBe('Your password is changed')

    const logIn = (given: string) => service.post(LOGIN, { username: user.username, password: given })
    expect((await logIn(password)).status).toBe(200)
    expect((await logIn(user.password)).status).toBe(401)
    expect(faults).toEqual([`422: POST ${RESET}`])
    await context.close()
  })

  test('what was mailed before a change of the profile: a link works, a code is explained', async () => {
    const { page, context, faults } = await visit()
    if (profile === 'A') {
      for (const path of ['/verify-email', '/reset-password']) {
        await page.goto(service.url + path)
        await page.getByText('Your email holds a code and no link?').waitFor()
        expect(await page.locator('#email').isVisible()).toBe(true)
      }
      expect(faults).toEqual([])
      await context.close()
      return
    }
    const user = await register('follower')
    const { token } = await newestMail(user.email)
    await page.goto(`${service.url}/verify-email#token=${token}`)
    const button = page.getByRole('button', { name: 'Confirm email address' })
    await button.waitFor()
    expect(await page.locator('#token').isVisible()).toBe(false)
    expect(page.url()).toBe(`${service.url}/verify-email`)
    await button.click()
    await page.getByRole('heading', { name: 'Your email address is confirmed' }).waitFor()
    expect(await isVerified(user)).toBe(true)

    // A link that is of no use leads to the code of the next mail.
    await page.goto('about:blank')
    await page.goto(`${service.url}/verify-email#token=${'-_x'.repeat(14)}A`)
    await button.click()
    await page.getByText(/^The link is not valid any more/).waitFor()
    expect(await focused(page)).toBe('Code from the email')
    expect(await page.locator('#email').isVisible()).toBe(true)
    const next = await register('follower2')
    await page.locator('#token').fill((await newestMail(next.email)).token)
    await button.click()
    await page.getByRole('heading', { name: 'Your email address is confirmed' }).waitFor()
    expect(await isVerified(next)).toBe(true)
    expect(faults).toEqual([`400: POST ${VERIFY}`])
    await context.close()
  })

  pageFailureSuite(pages)
  barrierSuite(visit, openWith, (page) => browser().barriers(page))

  // Last: the limit counts for the address, and so for every other test here.
  test('the limit of the service is shown with its wait', async () => {
    const { page, context } = await visit()
    const tries = Array.from({ length: 11 }, () => service.post(VERIFY, { token: 'AAAA-BBBB-CCCC-DDDD' }))
    expect((await Promise.all(tries)).map(({ status }) => status)).toContain(429)
    await openWith(page, '/verify-email', { token: 'AAAA-BBBB-CCCC-DDDD' })
    await page.getByRole('button', { name: 'Confirm email address' }).click()
    await page.getByText(/^Too many attempts\. Wait (a second|\d+ seconds), then try again\.$/).waitFor()
    await context.close()
  })
}
