import type { RouteOptions } from 'fastify'
import { z } from 'zod'
import { ApiError, type FieldError, type ProblemName, problems } from '../errors/api-error.ts'
import { problemBody } from '../problem.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** The errors of a route, for the OpenAPI document, besides those of its guards and of its input. */
    problems?: readonly ProblemName[]
  }
}

/** The body of every error response (RFC 9457). */
const problem = z
  .looseObject({
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

/** Names the errors of a guard: every route behind it documents them. */
export const guard = <Guard extends object>(problems: readonly ProblemName[], run: Guard) =>
  Object.assign(run, { problems })

/**
 * Completes what a route documents: its tag, which is the folder, the token that its guards require, and its errors. One
 * that lists error responses itself keeps them.
 */
export function documentRoute(route: RouteOptions): void {
  const { schema, url } = route
  const own = { ...(schema?.response as object | undefined) }
  if (!schema || schema.hide || Object.keys(own).some((status) => Number(status) >= 400)) return
  const guards = [route.onRequest ?? []].flat() as { problems?: readonly ProblemName[] }[]
  const { body, params, querystring, problems = [] } = schema
  const names = guards.flatMap((each) => each.problems ?? [])
  const [, tag = 'api'] = /^\/(?:api\/v1\/)?([^/]+)/.exec(url) ?? []
  route.schema = {
    tags: [tag],
    ...((names as string[]).includes('not_authenticated') && { security: [{ bearer: [] }] }),
    ...schema,
    response: {
      ...own,
      ...problemResponses(
        ...(body ? (['bad_request', 'payload_too_large', 'unsupported_media_type'] as const) : []),
        ...(body || params || querystring ? (['validation_failed'] as const) : []),
        ...names,
        ...problems,
      ),
    },
  }
}

/** Error responses by status. Every route can also return the two added here. */
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
