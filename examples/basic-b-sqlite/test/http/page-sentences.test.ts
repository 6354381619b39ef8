import { existsSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { createTestApp } from '../support/app.ts'

const folder = new URL('../../pages/', import.meta.url)

const forms = [
  ['register', 'register.html'],
  ['login', 'account.html'],
] as const

// Owners with a front end delete the folder, or pages of it.
const areThere = forms.every(([, page]) => existsSync(new URL(page, folder)))

afterEach(() => vi.unstubAllGlobals())

test.skipIf(!areThere)('each 403 of a registration or login has a sentence in the pages', async () => {
  const app = await createTestApp()
  const { paths } = (await app.inject({ url: '/openapi.json' })).json()
  const { messages } = await import(new URL('messages.js', folder).href)
  const { send } = await import(new URL('service.js', folder).href)
  const sentences: Record<string, string> = {}
  for (const [route] of forms) {
    const { content } = paths[`/api/v1/auth/${route}`].post.responses[403] ?? {}
    const examples = content?.['application/problem+json'].examples ?? {}
    for (const { value } of Object.values<{ value: { code: string } }>(examples)) {
      vi.stubGlobal('fetch', async () => Response.json(value, { status: 403 }))
      sentences[value.code] = (await send(`auth/${route}`, {})).sentence
    }
  }
  expect(Object.keys(sentences)).toContain('registration_closed')
  expect(Object.values(sentences)).not.toContain(messages.failed)
})
