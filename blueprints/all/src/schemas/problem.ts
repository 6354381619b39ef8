import { z } from 'zod'
import { ApiError, type ProblemName, problems } from '../errors/api-error.ts'
import type { FieldError } from '../errors/types.ts'
import { problemBody } from '../problem.ts'

/** The body of every error response (RFC 9457). */
const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    instance: z.string(),
    request_id: z.string(),
    errors: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' })

/** Errors that every route with a request body can return. */
export const bodyProblems = [
  'bad_request',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
] as const satisfies ProblemName[]

/** The error responses of a route by status, for the OpenAPI document. Every route can also return the two added here. */
export function problemResponses(...problemNames: ProblemName[]) {
  const names = [...new Set<ProblemName>([...problemNames, 'bad_request', 'unavailable'])]
  const statuses = [...new Set(names.map((name) => problems[name].status))]
  return Object.fromEntries(
    statuses.map((status) => {
      const group = names.filter((name) => problems[name].status === status)
      const description = group.map((name) => name.replaceAll('_', ' ')).join(', or ')
      return [status, { description, content: { 'application/problem+json': { schema: schemaOf(group) } } }]
    }),
  )
}

const schemas = new Map<string, ReturnType<typeof createSchema>>()

/** The schema of these problems. Routes share it: creating it takes longer than the rest of a route. */
function schemaOf(names: ProblemName[]) {
  const key = names.join()
  const schema = schemas.get(key) ?? createSchema(names)
  schemas.set(key, schema)
  return schema
}

/** The problem with one of these codes. Only the document lists them, so that no response fails because of the list. */
function createSchema(names: ProblemName[]) {
  const examples = names.map(exampleOf)
  const code = z.string().meta({ enum: [...new Set(examples.map((example) => example.code))] })
  return problem.and(z.object({ code })).meta({ examples })
}

function exampleOf(name: ProblemName) {
  const { failed }: { status: number; failed?: FieldError } = problems[name]
  const error = new ApiError(name, failed && { fields: [failed] })
  return problemBody(error, '/api/v1/…', '2b1d7e0c-5d0c-4c0f-9d2b-0f6f2a1c9e77')
}
