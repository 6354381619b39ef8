import type { TestApp } from './app.ts'

interface Operation {
  tags: string[]
  requestBody?: { required?: boolean; content: { 'application/json': { schema: { type?: string } } } }
  responses: Record<string, unknown>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
}

/** The operations in the OpenAPI document, such as `get /api/v1/users/me`. */
export async function readOperations(app: TestApp) {
  const document = (await app.inject({ url: '/openapi.json' })).json<Document>()
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method} ${path}`,
      operation,
      typesOfIds: typesOfIds(document, operation),
    })),
  )
}

/** The types of all ids in a part of the document, and in the schemas to which it refers. */
function typesOfIds(document: Document, part: unknown, seen = new Set<unknown>()): unknown[] {
  if (typeof part !== 'object' || part === null || seen.has(part)) return []
  seen.add(part)
  const { $ref, properties, name, schema } = part as Record<string, unknown>
  const target = typeof $ref === 'string' ? resolve(document, $ref) : undefined
  const fields = { ...(properties as object), ...(typeof name === 'string' && { [name]: schema }) }
  const ids = Object.entries(fields).filter(([field]) => field === 'id' || field === 'user_id')
  return [
    ...ids.map(([, id]) => (id as { type?: unknown }).type),
    ...Object.values(part).flatMap((inner) => typesOfIds(document, inner, seen)),
    ...typesOfIds(document, target, seen),
  ]
}

const resolve = (document: Document, reference: string) =>
  reference
    .slice(2)
    .split('/')
    .reduce((node: unknown, key) => (node as never)?.[key], document)
