import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { brand } from '../../src/settings/server.ts'
import { createTestApp, shareTestApp, type TestApp } from '../support/app.ts'

interface Document {
  info: { title: string; license: { name: string } }
  tags: { name: string; description?: string }[]
  components: { schemas: Record<string, object> }
}

const readDocument = async (app: TestApp) => (await app.inject({ url: '/openapi.json' })).json<Document>()

const shared = await shareTestApp()
const document = await readDocument(shared)

test('the license is that of package.json', async () => {
  const { license = 'UNLICENSED' } = JSON.parse(await readFile('package.json', 'utf8'))
  expect(document.info.license.name).toBe(license)
})

test('the tags are in the order in which clients use them, before yours', () => {
  const order = ['auth', 'users', 'notes', 'health']
  const listed = document.tags.map(({ name }) => name).filter((name) => order.includes(name))
  expect(listed).toEqual(order.filter((name) => listed.includes(name)))
  for (const { name, description } of document.tags)
    if (order.includes(name)) expect(description, name).toMatch(/./)
})

test('a request keeps its named schemas, with those to which they refer', async () => {
  const app = await createTestApp()
  const line = z.strictObject({ item: z.string() }).meta({ id: 'TestLine' })
  const body = z.strictObject({ lines: z.array(line) }).meta({ id: 'TestOrder' })
  app.post('/orders', { schema: { body } }, async () => ({}))
  const { schemas } = (await readDocument(app)).components
  expect(schemas).toMatchObject({
    TestOrderInput: { additionalProperties: false },
    TestLineInput: { additionalProperties: false },
  })
  expect(schemas).not.toHaveProperty('TestLine')
})

test('the page /docs has the name of the service and an icon', async () => {
  const { body } = await shared.inject({ url: '/docs' })
  expect(body).toContain(`<title>${document.info.title}</title>`)
  expect(body).toContain('rel="icon" type="image/svg+xml"')
})

test('the document and the page have the name in src/settings/server.ts', async () => {
  const { name } = brand
  onTestFinished(() => void Object.assign(brand, { name }))
  brand.name = 'Shop'
  const app = await createTestApp()
  expect((await readDocument(app)).info.title).toBe('Shop')
  expect((await app.inject({ url: '/docs' })).body).toContain('<title>Shop</title>')
})

test.each(['/docs', '/openapi.json'])(
  'a route of your own for %s stops the start, unless the API page is off',
  async (url) => {
    const app = await createTestApp()
    expect(() => app.get(url, async () => 'yours')).toThrow(`'GET' already declared for route '${url}'`)
    const without = await createTestApp({ DOCS_ENABLED: 'false' })
    without.get(url, async () => 'yours')
    expect((await without.inject({ url })).body).toBe('yours')
  },
)
