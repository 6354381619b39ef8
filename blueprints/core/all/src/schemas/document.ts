import { STATUS_CODES } from 'node:http'
import type { SwaggerTransformObject } from '@fastify/swagger'

type OpenApi = ReturnType<SwaggerTransformObject>

interface Schema {
  type?: string
  anyOf?: Schema[]
  examples?: { code: string }[]
}
interface Media {
  schema: Schema
  examples?: Record<string, { value: object }>
}
interface Response {
  description: string
  headers?: Record<string, object>
  content?: Record<string, Media>
}
interface Operation {
  operationId?: string
  tags?: string[]
  security?: object[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Response>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  tags?: { name: string }[]
  components: { schemas: Record<string, object> }
}

const header = (type: string, description: string) => ({ description, schema: { type } })
const requestId = header('string', 'The `request_id` of errors and of the log')
const challenge = header('string', 'The scheme of the token (RFC 6750)')
const retryAfter = header('integer', 'How many seconds to wait')

/** Adds what clients that are generated from the OpenAPI document need, and what holds for every route. */
export function completeDocument(openApi: OpenApi): OpenApi {
  const { components, paths, ...document } = openApi as unknown as Document
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  for (const operation of operations) {
    // Without it, some tools assume that the route needs a token.
    operation.security ??= []
    // The library calls that of HEAD `getCurrentUser-head`, which is no name of a function.
    operation.operationId = operation.operationId?.replace('-head', 'Head')
    if (operation.requestBody) allowNoBody(operation.requestBody)
    for (const [status, response] of Object.entries(operation.responses)) completeResponse(status, response)
  }

  const used = new Set(operations.flatMap(({ tags = [] }) => tags))
  const listed = (document.tags ?? []).filter(({ name }) => used.delete(name))
  const tags = [...listed, ...[...used].map((name) => ({ name }))]

  const responses = operations.map((operation) => operation.responses)
  const inResponses = namesIn(responses, components.schemas)
  const inAll = namesIn(paths, components.schemas)
  components.schemas = Object.fromEntries(
    Object.entries(components.schemas)
      // A schema that only responses use has a variant for requests too.
      .filter(([name]) => inAll.has(name))
      .map(([name, schema]) => [name, inResponses.has(name) ? withoutLimits(schema) : schema]),
  )
  return { ...openApi, tags }
}

/** The names of all schemas to which `part` refers, also through other schemas. */
function namesIn(part: unknown, schemas: Record<string, object>, names = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (names.has(name)) continue
    names.add(name)
    namesIn(schemas[name], schemas, names)
  }
  return names
}

/** A body that can be null can be absent: Fastify validates null then. */
function allowNoBody(body: NonNullable<Operation['requestBody']>): void {
  for (const media of Object.values(body.content)) {
    const [schema, ...others] = media.schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
    if (!schema || others.length > 0) continue
    media.schema = schema
    delete body.required
  }
}

function completeResponse(status: string, response: Response): void {
  if (response.description === 'Default Response') response.description = STATUS_CODES[status] ?? status
  response.headers = {
    'x-request-id': requestId,
    ...(status === '401' && { 'www-authenticate': challenge }),
    ...(['429', '503'].includes(status) && { 'retry-after': retryAfter }),
    ...response.headers,
  }
  if (!response.content) return
  response.content = withoutLimits(response.content)
  const problem = response.content['application/problem+json']
  if (!problem) return
  // As examples of the media type, by name, the API page lets its reader choose one.
  const { examples = [], ...schema } = problem.schema
  problem.schema = schema
  problem.examples = Object.fromEntries(examples.map((value) => [value.code, { value }]))
}

/** Removes what only Zod needs to know, and what would break clients when a later version adds a field. */
function withoutLimits<Value>(schemas: Value): Value {
  return JSON.parse(JSON.stringify(schemas), (key, value) => {
    if (key === 'additionalProperties' && value === false) return undefined
    if (value === Number.MIN_SAFE_INTEGER || value === Number.MAX_SAFE_INTEGER) return undefined
    if (value?.format === 'date-time') delete value.pattern
    return value
  })
}
