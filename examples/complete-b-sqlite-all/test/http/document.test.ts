import { expect, test } from 'vitest'
import { shareTestApp } from '../support/app.ts'

interface Operation {
  tags: string[]
  requestBody?: { required?: boolean; content: { 'application/json': { schema: { type?: string } } } }
}
interface Document {
  paths: Record<string, Record<string, Operation>>
}

const app = await shareTestApp()
const document = (await app.inject({ url: '/openapi.json' })).json<Document>()
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
)

/** The types of all ids in a part of the document, and in the schemas to which it refers. */
function typesOfIds(part: unknown, seen = new Set<unknown>()): unknown[] {
  if (typeof part !== 'object' || part === null || seen.has(part)) return []
  seen.add(part)
  const { $ref, properties, name, schema } = part as Record<string, unknown>
  const target = typeof $ref === 'string' ? resolve($ref) : undefined
  const fields = { ...(properties as object), ...(typeof name === 'string' && { [name]: schema }) }
  const ids = Object.entries(fields).filter(([field]) => field === 'id' || field === 'user_id')
  return [
    ...ids.map(([, id]) => (id as { type?: unknown }).type),
    ...Object.values(part).flatMap((inner) => typesOfIds(inner, seen)),
    ...typesOfIds(target, seen),
  ]
}

const resolve = (reference: string) =>
  reference
    .slice(2)
    .split('/')
    .reduce((node: unknown, key) => (node as never)?.[key], document)

test.each(operations.filter(({ operation }) => ['auth', 'users', 'admin'].includes(operation.tags[0] ?? '')))(
  'ids are integers: $name',
  ({ name, operation }) => {
    const types = typesOfIds(operation)
    if (/\{id\}|users\/me$|admin\/users$|export$/.test(name) && !name.startsWith('delete /api/v1/users'))
      expect(types).not.toEqual([])
    expect(types.filter((type) => type !== 'integer')).toEqual([])
  },
)

test('the body of a deletion of the account may be absent', () => {
  const body = document.paths['/api/v1/users/me']?.delete?.requestBody
  expect(body).not.toHaveProperty('required')
  expect(body?.content['application/json'].schema.type).toBe('object')
})
