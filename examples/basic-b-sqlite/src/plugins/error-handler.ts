import type { FastifyError, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { isUnavailable } from '../db/dialect.ts'
import { ApiError, type FieldError, type ProblemName } from '../errors/api-error.ts'
import { createMemoryCounts, networksOf } from '../limits/address-limit.ts'
import { logEvent, sendProblem } from '../problem.ts'
import { documentRoute } from '../schemas/problem.ts'

/**
 * Turns every error into a response: RFC 9457 problem details, without the message of an unexpected error. Documents the
 * errors of each route.
 */
export default fp(
  async (app) => {
    const logged = createMemoryCounts(app.now)

    /** Whether a client reached this limit before in this minute: a flood must not fill the disk with events. */
    async function isRepeated(limit: string | undefined, address: string): Promise<boolean> {
      const keys = networksOf(address).map(({ network, times: max }) => ({ key: `${limit}:${network}`, max }))
      return !('giveBack' in (await logged.take(keys)))
    }

    app.setErrorHandler<FastifyError>(async (error, request, reply) => {
      const refusal = toApiError(error, request)
      const { logEntry } = refusal
      if (logEntry?.event === 'limit.reached' && (await isRepeated(logEntry.limit, request.ip)))
        logEntry.level = 'silent'
      if (logEntry) logEvent(request, logEntry)
      return sendProblem(refusal, request, reply)
    })
    app.addHook('onRoute', documentRoute)
    app.setNotFoundHandler((request, reply) => sendProblem(new ApiError('not_found'), request, reply))
  },
  { name: 'error-handler' },
)

/** Problems for errors of Fastify, by status. */
const byStatus: Partial<Record<number, ProblemName>> = {
  404: 'not_found',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
}

function toApiError(error: FastifyError, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (hasZodFastifySchemaValidationErrors(error)) {
    // A missing body is a bad request, not an invalid field.
    if (error.validationContext === 'body' && request.body === undefined) return new ApiError('bad_request')
    return new ApiError(problemOf(error.validation), { fields: error.validation.map(toFieldError) })
  }
  // First: a client that disconnects has the error code of a lost database, and anyone could log false alarms.
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    if (error.code === 'ECONNRESET') logEvent(request, { event: 'request.aborted' })
    return new ApiError(byStatus[error.statusCode] ?? 'bad_request')
  }
  if (isUnavailable(error)) {
    request.log.error({ err: error }, 'database unavailable')
    return new ApiError('unavailable', { retryAfter: 1 })
  }
  request.log.error({ err: error }, 'unexpected error')
  return new ApiError('internal_error')
}

interface ValidationIssue {
  instancePath: string
  keyword: string
  message?: string
  /** Details from Zod. The inner `params` are those of a custom rule. */
  params: { params?: { code?: string; problem?: ProblemName } }
}

/** A rule can name a problem. It is returned if every failed rule names the same one. */
function problemOf(issues: ValidationIssue[]): ProblemName {
  const [first, ...others] = new Set(issues.map((issue) => issue.params.params?.problem))
  return first !== undefined && others.length === 0 ? first : 'validation_failed'
}

function toFieldError(issue: ValidationIssue): FieldError {
  const { instancePath, keyword, message = 'Invalid value', params } = issue
  const field = instancePath.slice(1).replaceAll('/', '.')
  // The name of an unknown field comes from the client, so it is left out like any submitted value.
  if (keyword === 'unrecognized_keys') return { field, code: 'unknown_field', message: 'Unknown field' }
  return { field, code: params.params?.code ?? keyword, message }
}
