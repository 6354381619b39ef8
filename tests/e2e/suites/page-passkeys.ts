import { expect, test } from 'vitest'
import { addDevice, type Browser, type Page } from '../harness/browser.ts'
import { focused } from '../harness/keyboard.ts'
import type { newUser } from './accounts.ts'
import { click, heading, type PageContext, shownCode } from './page-context.ts'

/** A browser that does not offer passkeys in fields: a device in a test answers such a request at once. */
const NO_AUTOFILL = 'PublicKeyCredential.isConditionalMediationAvailable = async () => false'

/** The pages of passkeys. They are on localhost, because browsers have no passkeys for IP addresses. */
export function pagePasskeysSuite(pages: PageContext, browser: () => Browser): void {
  const { service, registerVerified, logIn, newestMail, nextMail, askForMail, turnOnApp, expectNoBarriers } =
    pages
  const own = () => service().url.replace('127.0.0.1', 'localhost')

  async function visit({ autofills = false } = {}) {
    const visitor = await browser().visit(own())
    if (!autofills) await visitor.context.addInitScript(NO_AUTOFILL)
    return { ...visitor, device: await addDevice(visitor) }
  }

  async function openAccount(page: Page, user: ReturnType<typeof newUser>) {
    await page.goto(`${own()}/account`)
    await logIn(page, user)
  }

  const typeEmailed = async (page: Page, user: ReturnType<typeof newUser>, task: 'add' | 'remove') =>
    page.locator(`#${task}-passkey-email-code`).fill((await nextMail(user, 'emailed_token')).token)

  /** Adds a passkey of a user without a second factor. */
  async function add(page: Page, user: ReturnType<typeof newUser>, name: string) {
    await page.locator('#passkey-name').fill(name)
    await click(page, 'Add a passkey')
    await page.locator('#add-passkey-email-code').waitFor()
    expect(await focused(page)).toBe('Code from the email')
    await expectNoBarriers(page)
    await typeEmailed(page, user, 'add')
    await click(page, 'Add a passkey')
    await page.locator('#passkeys li').getByText(name).waitFor()
    expect(await focused(page)).toBe('Passkeys')
  }

  async function logOut(page: Page) {
    await click(page, 'Log out')
    await heading(page, 'Log in')
  }

  test('a user adds a passkey, logs in with it, renames and removes it', async () => {
    const { page, context, device, faults } = await visit()
    const user = await registerVerified('key-user')
    await openAccount(page, user)
    await heading(page, 'Your account')
    await click(page, 'Add a passkey')
    expect(await focused(page)).toBe('Name of the new passkey')
    await add(page, user, 'Laptop')
    expect(await device.count()).toBe(1)

    await logOut(page)
    await expectNoBarriers(page)
    await click(page, 'Log in with a passkey')
    await heading(page, 'Your account')
    await page.locator('#passkeys li').getByText('last used').waitFor()

    await click(page, 'Rename: Laptop')
    expect(await focused(page)).toBe('New name of Laptop')
    await page.locator('#new-passkey-name').fill('<b>Phone</b>')
    await expectNoBarriers(page)
    await click(page, 'Rename')
    await page.locator('#passkeys li').getByText('<b>Phone</b>').waitFor()

    await click(page, 'Remove: <b>Phone</b>')
    expect(await focused(page)).toMatch(/^Remove <b>Phone<\/b>\?/)
    await click(page, 'Remove the passkey')
    await page.locator('#remove-passkey-email-code').waitFor()
    await expectNoBarriers(page)
    await typeEmailed(page, user, 'remove')
    await click(page, 'Remove the passkey')
    await page.locator('#passkeys li').waitFor({ state: 'hidden' })
    expect(await focused(page)).toBe('Passkeys')
    // The browser was told.
    await expect.poll(device.count).toBe(0)
    expect(faults.filter((fault) => !/^403: POST|^403: DELETE/.test(fault))).toEqual([])
    await context.close()
  })

  test('the field for the name offers passkeys', async () => {
    const { page, context, faults } = await visit({ autofills: true })
    const user = await registerVerified('filler')
    await openAccount(page, user)
    await heading(page, 'Your account')
    await add(page, user, 'Laptop')
    await click(page, 'Log out')
    // The device chooses at once.
    await page.locator('#passkeys li').getByText('last used').waitFor()
    expect(await page.locator('#username').getAttribute('autocomplete')).toBe('username webauthn')
    expect(faults.filter((fault) => !fault.startsWith('403: POST'))).toEqual([])
    await context.close()
  })

  test('a login without a passkey, or with one that is gone, says so', async () => {
    const { page, context, device } = await visit()
    const user = await registerVerified('keyless')
    await openAccount(page, user)
    await heading(page, 'Your account')
    await add(page, user, 'Laptop')
    await logOut(page)
    await device.unlocks(false)
    await click(page, 'Log in with a passkey')
    await page.getByText('No passkey was used. Try again.').waitFor()
    expect(await focused(page)).toBe('No passkey was used. Try again.')
    await device.unlocks(true)
    await takeBack(user)
    await click(page, 'Log in with a passkey')
    await page.getByText('This passkey is not valid here.').waitFor()
    await expectNoBarriers(page)
    await context.close()
  })

  /** Removes all passkeys of a user, elsewhere. */
  async function takeBack({ email, password }: ReturnType<typeof newUser>) {
    await askForMail('forgot-password', email)
    const { token } = await newestMail(email, 'reset')
    await service().post('/api/v1/auth/reset-password', { token, new_password: `${password}!` })
    const { body } = await service().post('/api/v1/auth/undo-additions', { token })
    expect(body).toEqual({ removed: ['passkey'] })
  }

  test('a passkey answers where the code of an app is asked for', async () => {
    const { page, context, faults } = await visit()
    await page.setViewportSize({ width: 360, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    const user = await registerVerified('both')
    await openAccount(page, user)
    await heading(page, 'Your account')
    await add(page, user, 'Laptop')
    const secret = await turnOnApp(user)

    await page.reload()
    await heading(page, 'Log in')
    await logIn(page, user)
    await heading(page, 'Enter a code')
    await expectNoBarriers(page)
    expect(await page.locator('#second-factor').innerText()).toMatch(
      /Log in\s+Use a passkey instead\s+Start over$/,
    )
    await click(page, 'Use a passkey instead')
    await heading(page, 'Your account')
    await page.getByText('Recovery codes left: 10.').waitFor()

    await page.locator('#passkey-name').fill('Phone')
    await click(page, 'Add a passkey')
    await page.locator('#add-passkey-email-code').waitFor()
    await typeEmailed(page, user, 'add')
    await click(page, 'Add a passkey')
    await page.locator('#add-passkey-code').waitFor()
    expect(await focused(page)).toBe('Code from the app, or a recovery code')
    await expectNoBarriers(page)
    await page.locator('#add-passkey-code').fill(shownCode(secret, 1))
    await click(page, 'Add a passkey')
    await page.getByText('This device already has a passkey for your account.').waitFor()

    await click(page, 'Remove: Laptop')
    await click(page, 'Remove the passkey')
    await page.locator('#remove-passkey-code').waitFor()
    await page.locator('#remove-passkey').getByRole('button', { name: 'Use a passkey instead' }).click()
    await page.locator('#passkeys li').waitFor({ state: 'hidden' })
    expect(faults.filter((fault) => !/^40[013]: (GET|POST|DELETE)/.test(fault))).toEqual([])
    await context.close()
  })
}
