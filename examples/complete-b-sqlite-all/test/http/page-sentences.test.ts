import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bearer, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

const folder = new URL('../../pages/', import.meta.url)

// Owners with a front end delete the folder, or pages of it. Those of another language are in a folder of their own.
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
  : []
/** The parts of a login, in each page that has them: their name there, and their folder. */
const shared = { ways: 'ways', steps: 'log-in' }
const folderOf = (file: string) => basename(dirname(file))
const isPart = (file: string) =>
  Object.values(shared).includes(folderOf(file)) || files.includes(`${folderOf(file)}.html`)
const pages = files.filter((file) => !isPart(file))

/** The parts of a page are in the folder with its name. Those that are missing in another language are English. */
const partsOf = (page: string) => {
  if (!page.endsWith('.html')) return []
  const text = readFileSync(new URL(page, folder), 'utf8')
  const used = Object.entries(shared).filter(([name]) => text.includes(`{{> ${name}}}`))
  const folders = [basename(page, '.html'), ...used.map(([, each]) => each)]
  return files
    .filter((file) => folders.includes(dirname(file)))
    .map((file) => (files.includes(join(dirname(page), file)) ? join(dirname(page), file) : file))
}

/** A page with its parts, or a script. */
const read = (file: string) =>
  [file, ...partsOf(file)].map((each) => readFileSync(new URL(each, folder), 'utf8')).join('\n')

const allMatches = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found = '']) => found)
const textsOf = (page: string) => allMatches(read(page), /data-text="([^"]+)"/g)

/** The scripts of a page, and all that they import. */
function scriptsOf(page: string): Set<string> {
  const scripts = new Set(allMatches(read(page), /<script[^>]*\ssrc="pages\/([^"]+)"/g))
  for (const script of scripts)
    for (const imported of allMatches(read(script), /from ["']\.\/([^"']+)["']/g)) scripts.add(imported)
  return scripts
}

/** The forms of each page: where they go, and their fields. */
const forms = [
  ['register', 'POST', 'auth/register', ['email', 'username', 'password']],
  ['account', 'POST', 'auth/login', ['username', 'password']],
  ['account', 'PUT', 'users/me', ['email', 'current_password']],
  ['account', 'POST', 'auth/change-password', ['current_password', 'new_password']],
  ['verify-email', 'POST', 'auth/resend-verification', ['email']],
  ['verify-email', 'POST', 'auth/login', ['username', 'password']],
  ['reset-password', 'POST', 'auth/forgot-password', ['email']],
  ['reset-password', 'POST', 'auth/reset-password', ['new_password']],
] as const

/** The pages of the service. One of yours may have no texts, because it needs none or shows its own. */
const known = new Set<string>([...forms.map(([name]) => name), 'undo-email-change'])

// Not empty if there are no pages: Vitest refuses a file without tests.
describe.skipIf(pages.length === 0)('the pages', () => {
  describe.each(pages)('%s has a text', (page) => {
    const name = basename(page, '.html')

    test.skipIf(!known.has(name) && textsOf(page).length === 0)('for all that its scripts show', () => {
      const shown = [...scriptsOf(page)].flatMap((script) =>
        allMatches(read(script), /textOf\(\s*["']([^"']+)["']/g),
      )
      expect(textsOf(page)).toEqual(expect.arrayContaining(shown))
    })

    test('for each error of a field', async () => {
      const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
      await register(app)
      const headers = bearer(await logIn(app))
      const { paths } = (await app.inject({ url: '/openapi.json' })).json()
      const codes = new Set<string>()
      for (const [form, method, path, fields] of forms) {
        // Not in every mode and profile.
        if (form !== name || !paths[`/api/v1/${path}`]) continue
        for (const text of ['', 'x', 'X\u0001', 'Password1!', 'é'.repeat(300)]) {
          const body = Object.fromEntries(fields.map((field) => [field, text]))
          const response = await app.inject({ method, url: `/api/v1/${path}`, headers, body })
          for (const { field, code } of response.json().errors ?? []) if (field !== 'token') codes.add(code)
        }
      }
      expect(textsOf(page)).toEqual(expect.arrayContaining([...codes]))
    })

    test('for each 403 of a registration or login', async () => {
      const app = await createTestApp()
      const { paths } = (await app.inject({ url: '/openapi.json' })).json()
      for (const [form, , path] of forms) {
        if (form !== name || !/register|login/.test(path)) continue
        const { content } = paths[`/api/v1/${path}`].post.responses[403] ?? {}
        for (const code of Object.keys(content?.['application/problem+json'].examples ?? {}))
          expect(read(page)).toMatch(new RegExp(`data-text="${code}"|data-${code.replaceAll('_', '-')}="`))
      }
    })
  })
})
