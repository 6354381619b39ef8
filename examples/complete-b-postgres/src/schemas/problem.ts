import { z } from 'zod'
import { type ProblemName, problems } from '../errors.ts'

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
  .meta({
    id: 'Problem',
    examples: [
      {
        type: 'urn:problem:validation-failed',
        title: 'Validation failed',
        status: 422,
        detail: 'Validation failed',
        code: 'validation_failed',
        instance: '/api/v1/…',
        request_id: '2b1d7e0c-5d0c-4c0f-9d2b-0f6f2a1c9e77',
        errors: [{ field: 'email', code: 'invalid_email', message: 'Must be an email address' }],
      },
    ],
  })

/** Errors that every route with a request body can return. */
export const bodyProblems = [
  'bad_request',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
] as const satisfies ProblemName[]

/** The error responses of a route by status, for the OpenAPI document. Every route can also return `unavailable`. */
export function problemResponses(...problemNames: ProblemName[]) {
  const names: ProblemName[] = [...problemNames, 'unavailable']
  const statuses = [...new Set(names.map((name) => problems[name].status))]
  return Object.fromEntries(
    statuses.map((status) => {
      const group = names.filter((name) => problems[name].status === status)
      const description = group.map((name) => name.replaceAll('_', ' ')).join(', or ')
      return [status, { description, content: { 'application/problem+json': { schema: problem } } }]
    }),
  )
}
