import { expect } from 'vitest'
import type { Page } from './browser.ts'

/** The accessible name of the focused element. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const element = document.activeElement
    const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent
    return name.trim()
  })()`)

/** The accessible description of the focused element. */
export const description = (page: Page): Promise<string> =>
  page.evaluate(`(document.activeElement.getAttribute('aria-describedby') ?? '').split(' ')
    .map((id) => document.getElementById(id).innerText).join(' ')`)

/** Presses Tab until the element with this name has the focus, and checks that the focus is visible. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const seen: string[] = []
  while (seen.at(-1) !== name && seen.length < 12) {
    await page.keyboard.press('Tab')
    seen.push(await focused(page))
  }
  expect(seen.at(-1), `Tab leads to ${seen.join(', ')}`).toBe(name)
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
}
