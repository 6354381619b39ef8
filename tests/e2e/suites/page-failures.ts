import { expect, test } from 'vitest'
import { focused } from '../harness/keyboard.ts'
import { type PageContext, VERIFY } from './page-context.ts'

/** Pages with an invalid token, a failing service, a lost connection, injected content, or no JavaScript. */
export function pageFailureSuite({
  profile,
  service,
  visit,
  register,
  newestMail,
  openWith,
}: PageContext): void {
  test('an invalid token is explained, and the page offers to send another mail', async () => {
    const { page, context, faults } = await visit()
    await openWith(page, '/verify-email', { token: 'AAAA-BBBB-CCCC-DDDD' })
    await page.getByRole('button', { name: 'Confirm email address' }).click()
    if (profile === 'A') {
      await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor()
      expect(await focused(page)).toBe('This link is no longer valid')
    } else {
      await page.getByText(/This code is not valid/).waitFor()
      expect(await focused(page)).toBe('Code from the email')
    }

    await page.locator('#email').fill('nobody')
    await page.getByRole('button', { name: 'Send a new email' }).click()
    await page.getByText(/^Enter an email address/).waitFor()
    await page.locator('#email').fill('nobody@example.com')
    await page.getByRole('button', { name: 'Send a new email' }).click()
    await page.getByText(/is on its way/).waitFor()
    expect(faults).toEqual([`400: POST ${VERIFY}`, '422: POST /api/v1/auth/resend-verification'])
    await context.close()
  })

  test('too many attempts, an overloaded service and a lost connection are explained, and a retry succeeds', async () => {
    const { page, context, faults, requests } = await visit()
    const user = await register('patient')
    await openWith(page, '/verify-email', await newestMail(user.email))
    const button = page.getByRole('button', { name: 'Confirm email address' })

    for (const [status, wait, sentence] of [
      [429, '120', 'Too many attempts. Wait 2 minutes, then try again.'],
      [503, '5', 'The service is busy. Wait 5 seconds, then try again. Nothing is lost.'],
      [500, '', 'Something went wrong in the service.'],
    ] as const) {
      await page.route('**/api/**', (route) =>
        route.fulfill({ status, headers: wait ? { 'retry-after': wait } : {}, body: '<p>not JSON</p>' }),
      )
      await button.click()
      await page.getByText(sentence).waitFor()
      expect(await focused(page)).toContain(sentence)
      await page.unroute('**/api/**')
    }
    await context.setOffline(true)
    await button.click()
    await page.getByText(/could not be reached/).waitFor()
    await context.setOffline(false)
    expect(faults.splice(0)).toEqual([
      `429: POST ${VERIFY}`,
      `503: POST ${VERIFY}`,
      `500: POST ${VERIFY}`,
      `failed: POST ${VERIFY}`,
    ])

    // A double click must send one request, because a second one would find the token used.
    requests.length = 0
    await page.evaluate(`{
      const button = document.querySelector('#task [type=submit]')
      button.click()
      button.click()
    }`)
    await page.getByRole('heading', { name: 'Your email address is confirmed' }).waitFor()
    expect(requests).toEqual([`POST ${service().url}${VERIFY}`])
    expect(faults).toEqual([])
    await context.close()
  })

  test('injected content cannot run or send anything to another origin', async () => {
    const { page, context, faults } = await visit()
    const answers: string[] = []
    context.on('response', (response) => answers.push(response.request().url()))
    await page.goto(`${service().url}/reset-password`)
    await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'document.title = "hacked"'
      document.body.append(script)
      document.body.insertAdjacentHTML('beforeend', '<img src="https://example.com/x.png" onerror="document.title = 1">')
      fetch('https://example.com/').catch(() => {})
    `)
    // An injected form cannot be sent either.
    await page.evaluate(`
      const form = document.createElement('form')
      form.action = 'https://example.com/'
      document.body.append(form)
      form.submit()
    `)
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    )
    expect(await page.evaluate('document.title')).toMatch(/^Choose a new password/)
    expect(page.url()).toBe(`${service().url}/reset-password`)
    expect(faults).toContain('failed: GET https://example.com/x.png')
    const stopped = /^(console: .*Content Security Policy|to others: |failed: )/s
    expect(faults.filter((fault) => !stopped.test(fault))).toEqual([])
    expect(answers.filter((url) => !url.startsWith(service().url))).toEqual([])
    await context.close()
  })

  test('without JavaScript the page says that it needs JavaScript', async () => {
    const { page, context } = await visit({ javaScriptEnabled: false })
    for (const path of ['/verify-email', '/reset-password', '/undo-email-change']) {
      await page.goto(service().url + path)
      expect(await page.locator('main').innerText()).toContain('This page needs JavaScript')
      expect(await page.getByRole('button').first().isVisible()).toBe(false)
    }
    await context.close()
  })
}
