import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import missingPages from '../../dev/missing-pages.ts'
import { createTestApp } from '../support/app.ts'

const none = new URL('./no-such-folder', import.meta.url)

test.skipIf(existsSync('pages'))('without pages, development says where they are', async () => {
  const app = await createTestApp({}, false, { plugins: [(app) => missingPages(app, { folder: none })] })
  for (const path of ['/login', '/register', '/account']) {
    const { statusCode, headers, body } = await app.inject({ url: path })
    expect({ statusCode, type: headers['content-type'] }, path).toEqual({
      statusCode: 404,
      type: 'text/plain; charset=utf-8',
    })
    expect(body).toMatch(/FRONTEND_URL.*create-authsmith add pages/)
  }
  expect((await app.inject({ url: '/nowhere' })).headers['content-type']).toMatch(/^application\/problem/)
})

test('with pages, it says nothing', async () => {
  const here = new URL('.', import.meta.url)
  const app = await createTestApp({}, false, { plugins: [(app) => missingPages(app, { folder: here })] })
  expect((await app.inject({ url: '/login' })).body).not.toContain('add pages')
})
