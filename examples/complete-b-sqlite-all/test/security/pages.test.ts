import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { addressesIn } from '../support/addresses.ts'
import { shareTestApp } from '../support/app.ts'
import { pagesApp } from '../support/pages-app.ts'

const folder = new URL('../../pages/', import.meta.url)
const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
const pages = files.filter((file) => /\.(html|mustache)$/.test(file))
const app = await shareTestApp()
const urls = files
  .filter((file) => /^[^/\\]+\.(css|html|js)$/.test(file))
  .map((file) => (file.endsWith('.html') ? `/${file.slice(0, -5)}` : `/pages/${file}`))
  // A route of yours for the path of a page comes first.
  .filter((url) => url.startsWith('/pages/') || !app.hasRoute({ method: 'GET', url }))

// The pages handle tokens and passwords: injected content must not run, send them away or be framed.
describe.skipIf(files.length === 0)('the pages', () => {
  test.each(urls)('%s loads and sends only within the service, and cannot be framed', async (url) => {
    const { headers } = await app.inject({ url })
    expect(String(headers['content-security-policy']).split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ])
  })

  // Otherwise it could replace the page by a copy that asks for the password.
  test.each(urls.filter((url) => !url.startsWith('/pages/')))(
    'a site that opens %s has no hold on its window',
    async (url) => {
      const { headers } = await app.inject({ url })
      expect(headers['cross-origin-opener-policy']).toBe('same-origin')
    },
  )

  test.each(urls)('%s is not cached, not sniffed and sends no Referer', async (url) => {
    const { headers } = await app.inject({ url })
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
  })

  test.each(pages)('%s has no inline script, style or handler, and no link that could run code', (page) => {
    const html = readFileSync(new URL(page, folder), 'utf8')
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=["']?\/?pages\/)/i)
    expect(html).not.toMatch(/<style|<[^>]*[\s/"'](?:style|on\w+)\s*=/i)
    const path = /^(?:\/(?![/\\])|[?#]|[^\s:&{/\\?#]+(?:[/?#]|$)|$)/
    const link = /^(?:https?:|\/\/|mailto:|tel:|\{\{(?:logo|\w+_url)\}\})/i
    const links = addressesIn(html, /^(?:href|src)$/i)
    expect(links.filter((address) => !path.test(address) && !link.test(address))).toEqual([])
    // A form would send passwords there.
    const targets = addressesIn(html, /^(?:action|formaction)$/i)
    expect(targets.filter((address) => !path.test(address))).toEqual([])
    // Without quotes, a value with a space would be a second attribute.
    expect(html).not.toMatch(/\{\{\{|\{\{\s*&|<[^>]*\s[\w:-]+\s*=\s*\{\{/)
  })

  test.each(files.filter((file) => file.endsWith('.js')))(
    '%s does not turn text into markup or code',
    (file) => {
      const code = readFileSync(new URL(file, folder), 'utf8')
      expect(code).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/)
    },
  )

  // Whatever is in a URL gets into logs and the history. Whatever is stored outlives the page, and injected code can read it.
  test.each(files.filter((file) => file.endsWith('.js')))(
    '%s stores nothing but the refresh token, and puts no token into a URL',
    (file) => {
      const code = readFileSync(new URL(file, folder), 'utf8')
      // docs/sessions.md says why.
      const known = /localStorage\.(?:getItem\(key\)|removeItem\(key\)|setItem\(key, refresh_token\))/g
      // The verifier of PKCE, which is worth nothing without its code, and has to outlive the way to a provider.
      const ofFlow =
        /sessionStorage\.(?:getItem\(key\)|removeItem\(key\)|setItem\(key, JSON\.stringify\(\{ verifier, isLink \}\)\))/g
      const others = (file === 'session.js' ? code.replaceAll(known, '') : code).replaceAll(ofFlow, '')
      expect(others).not.toMatch(/localStorage|sessionStorage|indexedDB|caches|document\.cookie/)
      expect(code).not.toMatch(/(?:replaceState|pushState|assign|replace|open)\([^)]*token/i)
      expect(code).not.toMatch(/location[\w.]*\s*=\s.*token/i)
    },
  )

  test.each([
    '/pages/../package.json',
    '/pages/..%2fpackage.json',
    '/pages/%2e%2e/.env',
    '/pages/..%5c.env',
    '/pages//etc/passwd',
    '/pages/style.css/../../.env',
    '/pages/style.css%00',
    '/pages/',
    '/pages',
    '/../.env',
    '/verify-email.html',
    '/pages/verify-email.html',
    '/pages/header.mustache',
    '/header',
    '/account/30-email',
    '/account/30-email.html',
    '/pages/account/30-email.html',
    '/pages/account/..%2fsession.js',
  ])('%s serves no file', async (url) => {
    const { statusCode, headers } = await app.inject({ url })
    expect([400, 404]).toContain(statusCode)
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  })

  test.each(['POST', 'PUT', 'DELETE'] as const)('%s to a page is refused', async (method) => {
    const { statusCode } = await app.inject({
      method,
      url: '/reset-password',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'token=x&new_password=y',
    })
    expect([404, 415]).toContain(statusCode)
  })
})

// An SVG can contain scripts. Opened as a page, it would run them with the rights of this service.
test('an image is never a document with scripts, and neither sniffed nor framed', async () => {
  const app = await pagesApp({ 'logo.svg': '<svg/>', 'logo.png': 'png' })
  for (const url of ['/pages/logo.svg', '/pages/logo.png']) {
    const { headers } = await app.inject({ url })
    const policy = String(headers['content-security-policy']).split('; ')
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", 'sandbox', "frame-ancestors 'none'"]),
    )
    expect(policy.join()).not.toContain('script-src')
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  }
})

test('the name, contact and links of the service are escaped in pages', async () => {
  const evil = '"><img src=x onerror=alert(1)>'
  const page = '<a href="{{site_url}}">{{app_name}}</a> <p>{{contact}}</p>{{> header}}'
  const app = await pagesApp(
    { 'own.html': page, 'header.mustache': '<b>{{app_name}}</b>' },
    { name: evil, contact: evil, site: `https://example.com/${evil.replaceAll(' ', '/')}` },
  )
  const { body } = await app.inject({ url: '/own' })
  expect(body).toContain('&quot;&gt;&lt;img')
  expect(body).not.toContain('<img')
})
