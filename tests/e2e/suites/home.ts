import { describe, expect, test } from 'vitest'
import type { Page, Visitor } from '../harness/browser.ts'
import type { Service } from '../harness/service.ts'
import { LOGIN } from './accounts.ts'
import { keptMail } from './kept-mails.ts'

/**
 * The home page in development.
 * @param barriers returns the violations that axe finds in a page
 */
export function homeSuite(
  service: () => Service,
  visit: () => Promise<Visitor>,
  barriers: (page: Page) => Promise<string[]>,
): void {
  /** Opens the page and creates a user. Returns what the page shows of them. */
  async function createUser(page: Page) {
    await page.goto(`${service().url}/`)
    await page.getByText(`Runs at ${service().url}`).waitFor()
    await page.getByRole('button', { name: 'Create a demo user' }).click()
    await page.locator('#demo dd').first().waitFor()
    const shown: string[] = await page.evaluate(
      '[...document.querySelectorAll("#demo dd")].map((value) => value.textContent)',
    )
    const [username = '', email = '', password = ''] = shown
    return { username, email, password }
  }

  describe('the home page in development', () => {
    test('creates a demo user, who gets a mail and can log in', async () => {
      const { page, context, faults } = await visit()
      const { username, email, password } = await createUser(page)
      await keptMail(service(), 'verification', email)
      expect((await service().post(LOGIN, { username, password })).status).toBe(200)
      await page.getByRole('link', { name: 'Mailbox' }).click()
      await page.getByRole('heading', { name: 'Mailbox' }).waitFor()
      expect(faults).toEqual([])
      await context.close()
    })

    test.each(['light', 'dark'] as const)(
      'has no accessibility violation, color scheme %s',
      async (colorScheme) => {
        const { page, context, faults } = await visit()
        await page.emulateMedia({ colorScheme })
        await createUser(page)
        expect(await barriers(page)).toEqual([])
        expect(faults).toEqual([])
        await context.close()
      },
    )

    test('fits a screen of 320 pixels, even at twice the text size', async () => {
      const { page, context } = await visit()
      await page.setViewportSize({ width: 320, height: 640 })
      await createUser(page)
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate(overflow)).toBe(0)
      await page.evaluate('document.documentElement.style.fontSize = "200%"')
      expect(await page.evaluate(overflow)).toBe(0)
      await context.close()
    })
  })
}
