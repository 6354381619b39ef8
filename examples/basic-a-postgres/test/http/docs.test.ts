import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { createTestApp, shareTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  allOf?: Schema[]
  enum?: string[]
  additionalProperties?: unknown
}
interface Media {
  schema: Schema
  examples?: Record<string, { value: { code: string; status: number } }>
}
interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  security: object[]
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { description: string; headers: object; content?: Record<string, Media> }>
}
interface Document {
  openapi: string
  info: { title: string; version: string }
  tags: { name: string }[]
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; securitySchemes?: Record<string, object> }
}

const readDocument = async (app: TestApp) => (await app.inject({ url: '/openapi.json' })).json<Document>()

const shared = await shareTestApp()
const document = await readDocument(shared)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
)

test('the document is OpenAPI 3.1', () => {
  expect(document.openapi).toMatch(/^3\.1\./)
  expect(document.info).toMatchObject({
    title: expect.stringMatching(/./),
    version: expect.stringMatching(/./),
  })
  expect(document.servers.map(({ url }) => url)).toContain('/')
  expect(operations.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['get /health/live', 'get /health/ready']),
  )
})

test('every reference in the document resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, target]) => target ?? '',
  )
  for (const reference of references) {
    expect(reference).toMatch(/^#\//)
    const target = reference
      .slice(2)
      .split('/')
      .reduce((node: unknown, key) => (node as never)?.[key], document)
    expect(target, reference).toBeDefined()
  }
})

test('the names of functions in generated clients are unique', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

test('the document lists each tag once', () => {
  const listed = document.tags.map(({ name }) => name)
  const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []))
  expect([...listed].sort()).toEqual([...used].sort())
})

test('a response may get more fields in a later version, a request may not have others', () => {
  const responses = operations.map(({ operation }) => operation.responses)
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !name.endsWith('Input'))
  expect(JSON.stringify([responses, schemas])).not.toContain('"additionalProperties":false')
  for (const { name, operation } of operations)
    for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
      if (schema.type === 'object' && !takesForms(operation))
        expect(schema.additionalProperties, `The body of ${name} must be a z.strictObject`).toBe(false)
})

/** Routes of OAuth, which ignore fields that they do not know, and have errors of their own (RFC 6749). */
const takesForms = ({ requestBody }: (typeof operations)[number]['operation']) =>
  'application/x-www-form-urlencoded' in (requestBody?.content ?? {})

describe.each(operations)('$name', ({ name, path, operation }) => {
  const content = (status: string) => operation.responses[status]?.content ?? {}

  test('has an operationId, a summary and one tag', () => {
    const advice = `Set schema.operationId of ${name}: it names the function in generated clients`
    expect(operation.operationId, advice).toMatch(/^[a-z][A-Za-z0-9]*$/)
    expect(operation.summary).toMatch(/./)
    expect(operation.tags).toHaveLength(1)
  })

  test('says whether it needs a token', () => {
    expect(operation.security).toBeInstanceOf(Array)
  })

  test('declares each parameter of its path', () => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(path).not.toContain(':')
    expect(operation.parameters?.filter((one) => one.in === 'path').map((one) => one.name) ?? []).toEqual(
      named,
    )
  })

  test('has one success response, or one beside that without a body, and all errors have the same format', () => {
    const statuses = Object.keys(operation.responses)
    const successes = statuses.filter((status) => /^[23]/.test(status))
    expect(successes).not.toEqual([])
    expect(successes.filter((status) => status !== '204').length).toBeLessThanOrEqual(1)
    for (const status of statuses.filter((status) => /^[45]/.test(status))) {
      expect(operation.responses[status]?.description).toMatch(/./)
      const types = ['application/problem+json', ...(takesForms(operation) ? ['application/json'] : [])]
      expect(types).toEqual(expect.arrayContaining(Object.keys(content(status))))
    }
  })

  test('has an example for each code of an error, with its status', () => {
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      const problem = content['application/problem+json']
      if (!problem) continue
      const codes = problem.schema.allOf?.flatMap(({ properties }) => properties?.code?.enum ?? [])
      const examples = Object.values(problem.examples ?? {}).map(({ value }) => value)
      expect(codes?.length).toBeGreaterThan(0)
      expect(examples.map(({ code }) => code)).toEqual(codes)
      for (const example of examples) expect(String(example.status)).toBe(status)
    }
  })

  test('documents the headers of its responses', () => {
    for (const [status, { headers }] of Object.entries(operation.responses)) {
      expect(headers).toHaveProperty('x-request-id')
      if (status === '401') expect(headers).toHaveProperty('www-authenticate')
      if (status === '429' || status === '503') expect(headers).toHaveProperty('retry-after')
    }
  })

  test('declares the errors that its input can cause', () => {
    const statuses = Object.keys(operation.responses)
    const ofBody = ['400', '413', '415', ...(takesForms(operation) ? [] : ['422'])]
    if (operation.requestBody) expect(statuses).toEqual(expect.arrayContaining(ofBody))
    if (operation.parameters) expect(statuses).toContain('422')
    // With {}, the token is optional.
    const isProtected =
      operation.security.length > 0 && operation.security.every((way) => Object.keys(way)[0])
    if (isProtected) expect(statuses).toContain('401')
  })

  test('names only security schemes that exist', () => {
    const used = operation.security.flatMap(Object.keys)
    expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(expect.arrayContaining(used))
  })
})

test('the page /docs loads nothing from other hosts', async () => {
  const page = await shared.inject({ url: '/docs' })
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-security-policy']).toContain("default-src 'self'")
  const assets = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, asset]) => asset ?? '')
  expect(assets.length).toBeGreaterThan(2)
  for (const asset of assets) {
    const url = new URL(asset, 'http://service/docs/')
    expect(url.host).toBe('service')
    expect((await shared.inject({ url: url.pathname })).statusCode, asset).toBe(200)
  }
})

test('the page /docs sends the document to no validator, keeps the token on reload and cannot be framed', async () => {
  const { body, headers } = await shared.inject({ url: '/docs/static/swagger-initializer.js' })
  expect(body).toContain('"validatorUrl":null')
  expect(body).toContain('"persistAuthorization":true')
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
})

// Whoever uses the browser next would act as the user.
test('the page /docs keeps the token only in its tab', async () => {
  const page = await shared.inject({ url: '/docs' })
  const [, script = ''] = /src="([^"]+\/theme\/page\.js)"/.exec(page.body) ?? []
  const { body } = await shared.inject({ url: script })
  const window = { localStorage: {}, sessionStorage: {} }
  const matchMedia = () => ({ matches: false, addEventListener() {} })
  const document = { documentElement: { classList: { toggle() {} } } }
  runInNewContext(body, { window, document, matchMedia, sessionStorage: window.sessionStorage })
  expect(window.localStorage).toBe(window.sessionStorage)
})

// Otherwise it could replace the page by a copy that asks for the token.
test('a site that opens the page /docs has no hold on its window', async () => {
  const { headers } = await shared.inject({ url: '/docs' })
  expect(headers['cross-origin-opener-policy']).toBe('same-origin')
})

describe('the document and the page', () => {
  test.each([
    ['in production', { NODE_ENV: 'production' }],
    ['if DOCS_ENABLED is false', { DOCS_ENABLED: 'false' }],
  ])('do not exist %s', async (_case, env) => {
    const app = await createTestApp(env)
    for (const url of ['/openapi.json', '/docs', '/docs/json', '/docs/static/index.html'])
      expectProblem(await app.inject({ url }), 'not_found')
  })

  test('exist in production if DOCS_ENABLED is true', async () => {
    const app = await createTestApp({ NODE_ENV: 'production', DOCS_ENABLED: 'true' })
    expect((await app.inject({ url: '/openapi.json' })).statusCode).toBe(200)
  })
})
