import { existsSync, readdirSync, readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { describe, expect, test, vi } from 'vitest'
import { meets, passwordRules } from '../../src/passwords/rules.ts'
import pages from '../../src/routes/pages.ts'
import { shareTestApp } from '../support/app.ts'
import { pagesApp } from '../support/pages-app.ts'

const folder = new URL('../../pages/', import.meta.url)

const app = await shareTestApp()
const urlOf = (file: string) => `/${file.slice(0, -5)}`

// Owners with a front end delete the folder, or pages of it. A route of theirs comes first.
const files = (existsSync(folder) ? readdirSync(folder) : []).filter(
  (file) => file.endsWith('.html') && !app.hasRoute({ method: 'GET', url: urlOf(file) }),
)
const pageUrls = files.map(urlOf)
const withRules = files
  .filter((file) => readFileSync(new URL(file, folder), 'utf8').includes('{{#password_rules}}'))
  .map(urlOf)

describe.skipIf(pageUrls.length === 0)('the pages', () => {
  test.each(pageUrls)('%s is a page', async (url) => {
    const { statusCode, headers, body } = await app.inject({ url })
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(body).toMatch(/^\s*<!doctype html/i)
  })

  test.each(pageUrls)('every file that %s loads exists', async (url) => {
    const { body } = await app.inject({ url })
    const loaded = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => unescapeHtml(file))
    for (const file of loaded) {
      // A page of yours may be gone, or be one of the front end.
      if (!file.startsWith('pages/')) continue
      const { statusCode, headers } = await app.inject({ url: `/${file}` })
      expect([file, statusCode]).toEqual([file, 200])
      expect(headers['content-type']).toMatch(
        /^(text\/(css|html|javascript); charset=utf-8|image\/(svg\+xml|png|webp)|font\/woff2)$/,
      )
    }
  })

  test.each(pageUrls)('HEAD %s returns the same headers as GET, without a body', async (url) => {
    const get = await app.inject({ url })
    const head = await app.inject({ method: 'HEAD', url })
    expect(head.statusCode).toBe(200)
    expect(head.body).toBe('')
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
  })

  test.runIf(pageUrls.includes('/register'))(
    '/register requires a username only if the service does',
    async () => {
      const inputOf = async (settings: Record<string, string>) => {
        const { body } = await (await shareTestApp(settings)).inject({ url: '/register' })
        return /<input\s[^>]*\bid="username"[^>]*>/.exec(body)?.[0]
      }
      expect(await inputOf({})).toContain('data-required="true"')
      expect(await inputOf({ USERNAME_REQUIRED: 'false' })).toContain('data-required="false"')
    },
  )

  test('they are not in the OpenAPI document', async () => {
    const { paths } = (await app.inject({ url: '/openapi.json' })).json()
    const isPage = (path: string) => pageUrls.includes(path) || path.startsWith('/pages/')
    expect(Object.keys(paths).filter(isPage)).toEqual([])
  })

  describe.each(withRules)('%s shows the rules for passwords', async (url) => {
    const strict = await shareTestApp({ PASSWORD_MIN_LENGTH: '12' })
    const { body } = await strict.inject({ url })
    const shown = [
      ...body.matchAll(
        /<li\s+data-code="[^"]*"\s+data-pattern="([^"]*)"\s+data-max-bytes="([^"]*)"\s*>\s*([^<]*)/g,
      ),
    ].map(([, pattern = '', maxBytes = '', text = '']) => ({
      pattern: unescapeHtml(pattern),
      maxBytes,
      text: text.trim(),
    }))
    const rules = passwordRules(strict.config.credentials)

    test('all of them, as configured', () => {
      expect(shown.map(({ text }) => `Password must ${text}`)).toEqual(rules.map(({ message }) => message))
      expect(shown[0]?.text).toBe('be at least 12 characters')
    })

    test.each([
      '',
      'short',
      'Correct-Horse-7',
      'correct-horse-7',
      'CORRECT-HORSE-7',
      'Correct-Horse',
      'CorrectHorse77',
      'ÄÖÜäöü١٢٣٤٥٦€',
      'Aa1-\u{1F44D}\u{1F44D}\u{1F44D}\u{1F44D}\u{1F44D}\u{1F44D}\u{1F44D}',
      'Aa1-e\u0301e\u0301e\u0301e\u0301',
      `Aa1-${'x'.repeat(68)}`,
      `Aa1-${'x'.repeat(69)}`,
      `Aa1-${'é'.repeat(35)}`,
      `Aa1-${'x'.repeat(252)}`,
      `Aa1-${'x'.repeat(253)}`,
    ])('the page checks %j as the service does', async (password) => {
      const page = await import(new URL('password-rules.js', folder).href)
      expect(shown.map((rule) => page.meets(password, rule))).toEqual(
        rules.map((rule) => meets(password.normalize('NFC'), rule)),
      )
    })
  })
})

describe('files of your own', () => {
  const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff])

  test.each([
    ['logo.png', 'image/png'],
    ['logo.webp', 'image/webp'],
    ['logo.svg', 'image/svg+xml'],
    ['font.woff2', 'font/woff2'],
  ])('%s is served as %s, byte by byte, to email programs too, and may be cached', async (file, type) => {
    const app = await pagesApp({ [file]: bytes })
    const { headers, rawPayload } = await app.inject({ url: `/pages/${file}` })
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=3600',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(rawPayload).toEqual(bytes)
  })

  test('the logo replaces the name, and the accent color is in a style sheet', async () => {
    const header = '{{#logo}}<img src="{{logo}}">{{/logo}}{{^logo}}name{{/logo}}'
    const files = { 'own.html': '{{> header}}', 'header.mustache': header, 'style.css': 'a {}' }
    const app = await pagesApp(files, { logo: '/pages/logo.png', accent: '#ff0000' })
    expect((await app.inject({ url: '/own' })).body).toBe('<img src="pages&#x2F;logo.png">')
    expect((await app.inject({ url: '/pages/style.css' })).body).toBe(':root { --brand: #ff0000; }\na {}')
    const plain = await pagesApp(files, { logo: '' })
    expect((await plain.inject({ url: '/own' })).body).toBe('name')
  })

  test('those of the language come first, all others are English', async () => {
    const files = {
      'a.html': 'English {{> header}}',
      'b.html': 'Only English',
      'header.mustache': 'header',
      'de/a.html': 'Deutsch {{> header}}',
      'de/header.mustache': 'Kopf',
    }
    const text = async (language: string, url: string) =>
      (await (await pagesApp(files, { language })).inject({ url })).body
    expect(await text('de', '/a')).toBe('Deutsch Kopf')
    expect(await text('de', '/b')).toBe('Only English')
    expect(await text('en', '/a')).toBe('English header')
  })
})

describe('the parts of a page', () => {
  const page = '<main>{{> parts}}</main>'

  test('are the .html files of the folder with its name, in the order of their names', async () => {
    const files = {
      'account.html': page,
      'account/20-b.html': 'b {{app_name}} ',
      'account/10-a.html': '{{> header}} ',
      'account/10-a.js': 'not a part',
      'header.mustache': 'header',
      'register.html': page,
    }
    const app = await pagesApp(files, { name: 'A & B' })
    expect((await app.inject({ url: '/account' })).body).toBe('<main>header b A &amp; B </main>')
    expect((await app.inject({ url: '/register' })).body).toBe('<main></main>')
  })

  test('are those of the language where it has them', async () => {
    const files = { 'a.html': page, 'a/1.html': 'one ', 'a/2.html': 'two', 'de/a/1.html': 'eins ' }
    const app = await pagesApp(files, { language: 'de' })
    expect((await app.inject({ url: '/a' })).body).toBe('<main>eins two</main>')
  })
})

test('a route of your own for the path of a page comes first, and the log says so', async () => {
  const app = await pagesApp({ 'account.html': 'page', 'my.page.html': 'mine' })
  const log = vi.spyOn(app.log, 'info')
  app.get('/account', async () => 'yours')
  expect((await app.inject({ url: '/account' })).body).toBe('yours')
  expect((await app.inject({ url: '/my.page' })).body).toBe('mine')
  expect((await app.inject({ url: '/my-page' })).statusCode).toBe(404)
  expect(log).toHaveBeenCalledWith('pages/account.html is not served: you have a route for /account')
  expect(log).not.toHaveBeenCalledWith(expect.stringContaining('my.page.html'))
})

describe('the address that a person types', () => {
  test.each([
    ['/login', 'account', 'account.html'],
    ['/change-email', 'account', 'account.html'],
  ])('%s leads to the page', async (url, location, file) => {
    const app = await pagesApp({ [file]: 'page' })
    const { statusCode, headers } = await app.inject({ url })
    expect([statusCode, headers.location]).toEqual([302, location])
    expect((await app.inject({ url: `${url}/` })).statusCode).toBe(404)
  })

  test('is not found without the page', async () => {
    const app = await pagesApp({ 'register.html': 'page' })
    expect((await app.inject({ url: '/login' })).statusCode).toBe(404)
  })

  test('may be a page or a route of your own', async () => {
    const app = await pagesApp({ 'account.html': 'page', 'login.html': 'yours' })
    app.get('/change-email', async () => 'yours')
    for (const url of ['/login', '/change-email']) expect((await app.inject({ url })).body).toBe('yours')
  })
})

test('without the folder no page is served, and the log says so', async () => {
  const app = Fastify()
  const log = vi.spyOn(app.log, 'warn')
  await app.register(pages, { folder: `${import.meta.dirname}/no-such-folder` })
  expect(log).toHaveBeenCalledWith('pages/ is missing, so no page is served: deploy it beside dist/')
  for (const url of ['/account', '/login', '/register', '/pages/style.css'])
    expect((await app.inject({ url })).statusCode, url).toBe(404)
})

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x2F;': '/',
  '&#x60;': '`',
  '&#x3D;': '=',
}

const unescapeHtml = (html: string): string =>
  html.replaceAll(/&#?\w+;/g, (entity) => entities[entity] ?? entity)
