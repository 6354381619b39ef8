import { DrizzleQueryError } from 'drizzle-orm/errors'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { isUnavailable } from '../db/dialect.ts'
import { ApiError, type FieldError, type ProblemName } from '../errors.ts'
import { sendProblem } from '../problem.ts'

/** The one place where an error becomes an answer: RFC 9457 problem details, and nothing of the error's own text. */
export default fp(async (app) => {
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    sendProblem(toApiError(error, request), request, reply),
  )
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) =>
    sendProblem(new ApiError('not_found'), request, reply),
  )
})

/** What Fastify itself refuses, by status. */
const byStatus: Partial<Record<number, ProblemName>> = {
  404: 'not_found',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
}

function toApiError(error: FastifyError, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (hasZodFastifySchemaValidationErrors(error)) {
    // A request without any body is broken JSON rather than a wrong field.
    if (error.validationContext === 'body' && request.body === undefined) return new ApiError('bad_request')
    return new ApiError(problemOf(error.validation), { fields: error.validation.map(toFieldError) })
  }
  if (isUnavailable(error)) {
    request.log.error({ err: loggable(error) }, 'database unavailable')
    return new ApiError('unavailable', { retryAfter: 1 })
  }
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    return new ApiError(byStatus[error.statusCode] ?? 'bad_request')
  }
  request.log.error({ err: loggable(error) }, 'unexpected error')
  return new ApiError('internal_error')
}

/** Drizzle repeats a failed query's values in its error, hashes and addresses among them: the driver's error says enough. */
const loggable = (error: Error): unknown => (error instanceof DrizzleQueryError ? error.cause : error)

interface ValidationIssue {
  instancePath: string
  keyword: string
  message?: string
  /** What zod says beyond that; `params` of it is what a rule of our own says of itself. */
  params: { params?: { code?: string; problem?: ProblemName } }
}

/** A rule may belong to an error of its own, and is answered with it where nothing else is wrong. */
function problemOf(issues: ValidationIssue[]): ProblemName {
  const [first, ...others] = new Set(issues.map((issue) => issue.params.params?.problem))
  return first !== undefined && others.length === 0 ? first : 'validation_failed'
}

function toFieldError({
  instancePath,
  keyword,
  message = 'Invalid value',
  params,
}: ValidationIssue): FieldError {
  const field = instancePath.slice(1).replaceAll('/', '.')
  // The name of an unknown field is the client's own text: it is left out like any other value.
  if (keyword === 'unrecognized_keys') return { field, code: 'unknown_field', message: 'Unknown field' }
  return { field, code: params.params?.code ?? keyword, message }
}
