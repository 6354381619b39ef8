import { describe, expect, test } from 'vitest'
import type { Page, Visitor } from '../harness/browser.ts'

/**
 * Accessibility of the pages.
 * @param openWith opens a page with a token or code
 * @param barriers returns the violations that axe finds in a page
 */
export function barrierSuite(
  visit: () => Promise<Visitor>,
  openWith: (page: Page, path: string, mail: { token: string }) => Promise<void>,
  barriers: (page: Page) => Promise<string[]>,
): void {
  /** Shows the form that requests a new mail, if the page has it. */
  const unfold = async (page: Page) => {
    if (await page.locator('summary').isVisible()) await page.locator('summary').click()
  }

  describe.each(['/verify-email', '/reset-password', '/email-login', '/undo-email-change'])('%s', (path) => {
    test.each(['light', 'dark'] as const)(
      'has no accessibility violation, color scheme %s',
      async (colorScheme) => {
        const { page, context, faults } = await visit()
        await page.emulateMedia({ colorScheme })
        await openWith(page, path, { token: 'AAAA-BBBB-CCCC-DDDD' })
        const states = [await barriers(page)]
        await unfold(page)
        if (path === '/reset-password') await page.locator('#new-password').fill('short')
        await page.locator('#task > form [type=submit]').click()
        await page.locator('#task [aria-invalid], #refused h1').first().waitFor()
        states.push(await barriers(page))
        expect(states).toEqual([[], []])
        expect(faults).toEqual([expect.stringMatching(/^4(00|22): POST /)])
        await context.close()
      },
    )

    test('fits a screen of 320 pixels, even at twice the text size', async () => {
      const { page, context } = await visit()
      await page.setViewportSize({ width: 320, height: 640 })
      await openWith(page, path, { token: 'AAAA-BBBB-CCCC-DDDD' })
      await unfold(page)
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate(overflow)).toBe(0)
      await page.evaluate('document.documentElement.style.fontSize = "200%"')
      expect(await page.evaluate(overflow)).toBe(0)
      await context.close()
    })
  })
}
