import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import type { Browser, Page } from '../harness/browser.ts'
import { newDatabase } from '../harness/database.ts'
import { type Service, startService } from '../harness/service.ts'
import { LOGIN, ME, newUser, REGISTER } from './accounts.ts'

/** What axe finds in the library of the API page, which the service cannot change. */
const OF_THE_LIBRARY = ['heading-order', 'nested-interactive', 'region']
/** It gives no name to the fields of an open operation. */
const OF_OPEN_OPERATIONS = ['label', 'select-name']

/** The API page, and pages of another origin that call the API. */
export function apiPageSuite(project: () => Report, browser: () => Browser): void {
  let service: Service
  let origin: string
  const elsewhere = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Front end</title>')
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
    const { env } = await newDatabase(project())
    service = await startService({ cwd: project().directory, env: { ...env, CORS_ORIGINS: origin } })
  })
  afterAll(async () => {
    elsewhere.close()
    await service?.stop()
  })

  async function logIn(name: string): Promise<string> {
    const { username, email, password } = newUser(name)
    await service.post(REGISTER, { username, email, password })
    return (await service.post(LOGIN, { username, password })).body.access_token
  }

  describe('the API page', () => {
    /** The rules of axe that the page breaks, in alphabetical order. */
    const rules = async (page: Page) => {
      const barriers = await browser().barriers(page)
      return [...new Set(barriers.map((barrier) => barrier.split(':')[0]))].sort()
    }

    const send = async (page: Page, id: string) => {
      const operation = page.locator(`#operations-auth-${id}`)
      await operation.locator('.opblock-summary-control').click()
      await operation.locator('.try-out__btn').click()
      await operation.locator('.execute').click()
      return operation.locator('.live-responses-table .response .response-col_status').first().innerText()
    }

    test('sends the examples of register and login, and both work', async () => {
      const { page, context, faults } = await browser().visit(service.url)
      await page.goto(`${service.url}/docs`)
      expect(await send(page, 'register')).toContain('201')
      expect(await send(page, 'login')).toContain('200')
      expect(faults).toEqual([])
      await context.close()
    })

    test('keeps the token when it is reloaded, in its tab only', async () => {
      const { page, context, faults } = await browser().visit(service.url)
      await page.goto(`${service.url}/docs`)
      await page.locator('.auth-wrapper .authorize.unlocked').click()
      await page.locator('.auth-container input').fill(await logIn('reloading'))
      await page.locator('.auth-btn-wrapper .authorize').click()
      await page.reload()
      await page.locator('.auth-wrapper .authorize.locked').waitFor()
      expect(await page.evaluate('sessionStorage.length')).toBe(1)
      await page.goto(`${service.url}/openapi.json`)
      expect(await page.evaluate('localStorage.length')).toBe(0)
      expect(faults).toEqual([])
      await context.close()
    })

    test.each(['light', 'dark'] as const)(
      'has the name of the service, and no accessibility violation but those of its library, color scheme %s',
      async (colorScheme) => {
        const { page, context } = await browser().visit(service.url)
        await page.emulateMedia({ colorScheme })
        await page.goto(`${service.url}/docs`)
        const login = page.locator('#operations-auth-login')
        await login.waitFor()
        expect(await page.evaluate('document.title')).toBe('my-api')
        expect(await page.evaluate('document.documentElement.classList.contains("dark-mode")')).toBe(
          colorScheme === 'dark',
        )
        expect(await rules(page)).toEqual(OF_THE_LIBRARY)
        await login.locator('.opblock-summary-control').click()
        await login.locator('.try-out__btn').click()
        await login.locator('.execute').click()
        await login.locator('.live-responses-table').waitFor()
        expect(await rules(page)).toEqual([...OF_THE_LIBRARY, ...OF_OPEN_OPERATIONS].sort())
        await page.setViewportSize({ width: 360, height: 740 })
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
        await context.close()
      },
    )
  })

  test('a page of a listed origin may use every method of the API', async () => {
    const { page, context } = await browser().visit(origin)
    await page.goto(origin)
    const token = await logIn('elsewhere')
    /** @returns the status, or why the browser refused */
    const send = (method: string, path: string, body?: object) =>
      page.evaluate(`fetch(${JSON.stringify(service.url + path)}, {
        method: '${method}',
        headers: { authorization: 'Bearer ${token}'${body ? ", 'content-type': 'application/json'" : ''} },
        ${body ? `body: ${JSON.stringify(JSON.stringify(body))},` : ''}
      }).then((response) => response.status + ' ' + (response.headers.get('x-request-id') !== null), String)`)
    expect(await send('GET', ME)).toBe('200 true')
    expect(await send('PUT', ME, { email: 'new-elsewhere@example.com' })).toBe('200 true')
    expect(await send('DELETE', '/api/v1/auth/devices/999')).toBe('404 true')
    expect(await send('POST', '/api/v1/auth/logout')).toBe('204 true')
    await context.close()
  })

  test('a page of another origin may not', async () => {
    const { page, context } = await browser().visit(origin)
    await page.goto(origin.replace('127.0.0.1', 'localhost'))
    expect(await page.evaluate(`fetch('${service.url}${ME}').then(() => 'read', String)`)).toBe(
      'TypeError: Failed to fetch',
    )
    await context.close()
  })
}
