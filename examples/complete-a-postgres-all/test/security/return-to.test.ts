import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../support/app.ts'

const settings = {
  FRONTEND_URL: 'https://example.com/auth',
  COOKIE_ORIGINS: 'https://app.example.com,https://shop.example.com:8443',
}

const open = (app: TestApp, page: string, returnTo?: string, headers = {}) =>
  app.inject({ url: page, query: returnTo === undefined ? {} : { return_to: returnTo }, headers })

const linkOf = (body: string) => /id="return-to" value="([^"]*)"/.exec(body)?.[1]

test.each([
  ['/orders', 'https://example.com/orders'],
  ['/', 'https://example.com/'],
  ['/orders?page=2&by=date#last', 'https://example.com/orders?page=2&amp;by=date#last'],
  ['https://example.com/orders', 'https://example.com/orders'],
  ['https://app.example.com', 'https://app.example.com/'],
  ['https://shop.example.com:8443/cart', 'https://shop.example.com:8443/cart'],
])('a login leads back to %s', async (returnTo, address) => {
  const { body, headers } = await open(await createTestApp(settings), '/account', returnTo)
  expect(decoded(linkOf(body))).toBe(decoded(address))
  expect(headers['set-cookie']).toMatch(
    /^__Host-return_to=[\w-]+; Secure; HttpOnly; SameSite=Lax; Path=\/; Max-Age=3600$/,
  )
})

/** Mustache writes more characters as references than these. */
const decoded = (text = '') =>
  text.replaceAll('&amp;', '&').replaceAll('&#x2F;', '/').replaceAll('&#x3D;', '=')

test.each([
  ['another site', 'https://evil.example'],
  ['a path that browsers read as a host', '//evil.example/account'],
  ['the same with a backslash', '/\\evil.example'],
  ['the same with a tab, which browsers drop', '/\t/evil.example'],
  ['a name that begins like ours', 'https://app.example.com.evil.example/'],
  ['a user whose name is our host', 'https://app.example.com@evil.example/'],
  ['a user at our host', 'https://alice@app.example.com/'],
  ['another port', 'https://app.example.com:8443/'],
  ['plain HTTP', 'http://app.example.com/'],
  ['a subdomain that is not listed', 'https://old.app.example.com/'],
  ['a script', 'javascript:alert(1)//https://app.example.com/'],
  ['a blob, whose origin is that of its page', 'blob:https://app.example.com/4b1c'],
  ['a path without a slash', 'orders'],
  ['what is no address', 'https://'],
  ['what browsers do not keep', `/${'x'.repeat(2_000)}`],
])('a login does not lead to %s', async (_, returnTo) => {
  const app = await createTestApp(settings)
  const { body, headers, statusCode } = await open(app, '/account', returnTo)
  expect(statusCode).toBe(200)
  expect(linkOf(body)).toBeUndefined()
  expect(headers['set-cookie']).toBeUndefined()
  // Whoever can write the cookie leads nobody away either.
  const forged = Buffer.from(returnTo).toString('base64url')
  const again = await open(app, '/account', undefined, { cookie: `__Host-return_to=${forged}` })
  expect(linkOf(again.body)).toBeUndefined()
})

test('two of them are none', async () => {
  const app = await createTestApp(settings)
  const { body } = await app.inject('/account?return_to=/a&return_to=/b')
  expect(linkOf(body)).toBeUndefined()
})

test('all pages lead there for an hour, also those that emails link to', async () => {
  const app = await createTestApp(settings)
  const { headers } = await open(app, '/login', '/orders')
  const [cookie] = String(headers['set-cookie']).split(';')
  for (const page of ['/verify-email', '/reset-password', '/account']) {
    const { body } = await open(app, page, undefined, { cookie })
    expect(decoded(body)).toMatch(/href="https:\/\/example.com\/orders">Continue to /)
  }
})

test('without it, the account page leads to FRONTEND_URL', async () => {
  const { body } = await open(await createTestApp(settings), '/account')
  expect(decoded(body)).toMatch(/href="https:\/\/example.com\/auth">Continue to /)
})

test('a page says whether the browser has the cookie of a session, and not which', async () => {
  const app = await createTestApp(settings)
  const has = async (cookie: string) => (await open(app, '/account', undefined, { cookie })).body
  expect(await has('__Host-session=abc')).toContain('<data id="has-session" value="true" hidden>')
  expect(await has('__Host-session=abc')).not.toContain('abc')
  for (const cookie of ['session=abc', '__Host-session='])
    expect(await has(cookie)).not.toContain('has-session')
})
