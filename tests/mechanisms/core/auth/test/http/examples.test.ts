import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

interface Body {
  schema: { properties: Record<string, { examples?: unknown[] }> }
  example?: object
}
interface Document {
  paths: Record<string, { post: { requestBody: { content: { 'application/json': Body } } } }>
}

test.each(['8', '64'])('the examples of the API page work with PASSWORD_MIN_LENGTH=%s', async (minLength) => {
  const app = await createTestApp({ PASSWORD_MIN_LENGTH: minLength })
  const { paths } = (await app.inject({ url: '/openapi.json' })).json<Document>()
  /** What the API page fills in. */
  const send = (url: string) => {
    const body = paths[url]?.post.requestBody.content['application/json']
    const properties = Object.entries(body?.schema.properties ?? {})
    const example = properties.map(([name, { examples = [] }]) => [name, examples[0]])
    return app.inject({ method: 'POST', url, body: body?.example ?? Object.fromEntries(example) })
  }
  expect((await send('/api/v1/auth/register')).statusCode).toBe(201)
  expect((await send('/api/v1/auth/login')).statusCode).toBe(200)
})
