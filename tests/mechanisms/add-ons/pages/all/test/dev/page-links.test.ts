import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import home from '../../dev/home/routes.ts'
import { welcome } from '../../dev/welcome.ts'
import { createTestApp } from '../support/app.ts'

// Owners with a front end delete pages.
const isThere = (page: string) => existsSync(new URL(`../../pages${page}.html`, import.meta.url))

test('the home page and the start of the script dev link to the pages that are there', async () => {
  const app = await createTestApp({}, false, { plugins: [home] })
  const { links } = (await app.inject({ url: '/dev/home.json' })).json<{ links: { path: string }[] }>()
  const known = ['/register', '/account', '/verify-email', '/reset-password']
  const paths = links.map(({ path }) => path).filter((path) => known.includes(path))
  expect(paths).toEqual(known.filter(isThere))
  await app.listen({ host: '127.0.0.1', port: 0 })
  for (const path of paths) expect(welcome(app)).toMatch(new RegExp(`: http://localhost:\\d+${path}\n`))
})
