import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Page } from '../harness/browser.ts'
import { focused } from '../harness/keyboard.ts'
import { LOGIN, ME, type newUser, type Variant } from './accounts.ts'
import { type PageContext, VERIFY } from './page-context.ts'

/**
 * The part of the account page that exports and deletes the account.
 * @param barriers returns the violations that axe finds in a page
 */
export function pageAccountDataSuite(
  mode: Variant['mode'],
  { profile, service, visit, register, newestMail }: PageContext,
  barriers: (page: Page) => Promise<string[]>,
): void {
  type User = ReturnType<typeof newUser>

  const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const stored = (page: Page) => page.evaluate('({ ...localStorage, ...sessionStorage })')
  const logInByApi = async ({ username, password }: User) =>
    (await service().post(LOGIN, { username, password })).body.access_token

  async function logIn(page: Page, { username, password }: User) {
    await page.goto(`${service().url}/account`)
    await page.locator('#username').fill(username)
    await page.locator('#password').fill(password)
    await click(page, 'Log in')
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await page.waitForLoadState('networkidle')
  }

  async function deleteWith(page: Page, password: string, sentence: string | RegExp) {
    await page.locator('#deletion-password').fill(password)
    await click(page, 'Delete account for good')
    await page.getByText(sentence).waitFor()
    expect(await focused(page)).toMatch(sentence)
  }

  test('a user downloads their data, with no token in a URL, and deletes the account in two steps', async () => {
    const { page, context, faults, requests } = await visit()
    const user = await register(`leaver-${mode}`)
    await logIn(page, user)
    const downloaded = page.waitForEvent('download')
    await click(page, 'Download your data')
    const download = await downloaded
    expect(download.suggestedFilename()).toBe('account.json')
    const { user: exported } = JSON.parse(readFileSync(await download.path(), 'utf8'))
    expect(exported).toMatchObject({ username: user.username, email: user.email })
    await page.getByText('The file is in the downloads of your browser.').waitFor()
    expect(await focused(page)).toBe('The file is in the downloads of your browser.')
    expect(requests).toContain(`GET ${service().url}${ME}/export`)
    expect(requests.filter((request) => /[?#](?!use_cookies=true$)/.test(request))).toEqual([])

    await page.route('**/export', (route) =>
      route.fulfill({ status: 429, headers: { 'retry-after': '3000' }, body: '{}' }),
    )
    await click(page, 'Download your data')
    await page.getByText('Too many attempts. Wait 50 minutes, then try again.').waitFor()
    expect(faults.splice(0)).toEqual([`429: GET ${ME}/export`])

    await click(page, 'Delete account')
    expect(await focused(page)).toBe(`Delete the account ${user.username} for good?`)
    await deleteWith(page, '', 'Enter your password.')
    await click(page, 'Keep account')
    expect(await focused(page)).toBe('Delete account')
    expect(await page.locator('#deletion-password').isVisible()).toBe(false)
    await click(page, 'Delete account')
    expect(await page.locator('#deletion-problem').isVisible()).toBe(false)
    await deleteWith(page, 'Wrong-Horse-7', 'The password is wrong, or you have not set one yet.')
    expect(await barriers(page)).toEqual([])

    const tab = await context.newPage()
    if (mode === 'basic') await logIn(tab, user)
    else await tab.goto(`${service().url}/account`)
    await tab.getByRole('heading', { name: 'Your account' }).waitFor()
    await tab.waitForLoadState('networkidle')
    await page.locator('#deletion-password').fill(user.password)
    await click(page, 'Delete account for good')
    await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor()
    await tab.getByRole('heading', { name: 'Log in' }).waitFor()
    expect(page.url()).toBe(`${service().url}/account-deleted`)
    expect(await stored(page)).toEqual({})
    expect(await barriers(page)).toEqual([])
    expect(await logInByApi(user)).toBe(undefined)
    expect(faults).toEqual([`403: DELETE ${ME}`, `403: DELETE ${ME}`])
    await context.close()
  })

  // The two profiles do not differ in it.
  test.runIf(mode === 'complete' && profile === 'B')(
    'while a change of the address can be undone, the page says until when',
    async () => {
      const { page, context, faults } = await visit()
      await page.emulateMedia({ colorScheme: 'dark' })
      const user = await register('changer')
      await service().post(VERIFY, { token: (await newestMail(user.email)).token })
      const token = await logInByApi(user)
      await service().put(ME, { email: 'changer-too@example.com' }, { token })
      const mail = await newestMail('changer-too@example.com', 'confirm')
      expect((await service().post(VERIFY, { token: mail.token }, { token })).status).toBe(200)
      await logIn(page, user)
      await click(page, 'Delete account')
      const until = /Until \w+ \d+, \d{4} at \d+:\d\d [AP]M, the owner of the former address can undo that/
      await deleteWith(page, user.password, until)
      expect(await barriers(page)).toEqual([])
      expect(faults).toEqual([`409: DELETE ${ME}`])
      await context.close()
    },
  )
}
