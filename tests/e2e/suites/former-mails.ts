import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import { devScript } from '../../support/dev.js'
import { freePort } from '../../support/port.js'
import type { Browser } from '../harness/browser.ts'
import { focused } from '../harness/keyboard.ts'
import { type Service, startService } from '../harness/service.ts'
import type { Profile } from './accounts.ts'
import { pageContext, VERIFY } from './page-context.ts'

/** The pages of a project that switched its profile, opened with a link or code from before the switch. */
export function formerMailSuite(profile: Profile, project: () => Report, browser: () => Browser): void {
  let service: Service
  beforeAll(async () => {
    const port = String(await freePort())
    const env = {
      PORT: port,
      FRONTEND_URL: `http://127.0.0.1:${port}`,
      RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0',
    }
    const { directory: cwd } = project()
    service = await startService({ cwd, env, command: ['node', ...devScript(cwd)] })
  })
  afterAll(() => service?.stop())

  const { visit, register, newestMail, isVerified } = pageContext(profile, () => service, browser)

  test('after a switch of the profile an old link works, and an old code is explained', async () => {
    const { page, context, faults } = await visit()
    if (profile === 'A') {
      for (const path of ['/verify-email', '/reset-password']) {
        await page.goto(service.url + path)
        await page.getByText('Does your email contain a code instead of a link?').waitFor()
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
    expect(await page.locator('#token').inputValue()).toBe(token)
    expect(page.url()).toBe(`${service.url}/verify-email`)
    await button.click()
    await page.getByRole('heading', { name: 'Your email address is confirmed' }).waitFor()
    expect(await isVerified(user)).toBe(true)

    // An invalid link leads to the form for the code of the next mail.
    await page.goto('about:blank')
    await page.goto(`${service.url}/verify-email#token=${'-_x'.repeat(14)}A`)
    await button.click()
    await page.getByText(/^This code is not valid/).waitFor()
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
}
