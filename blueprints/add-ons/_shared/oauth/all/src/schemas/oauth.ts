import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError, type LogEntry } from '../errors/api-error.ts'
import { logEvent } from '../problem.ts'

/** Requests and errors of OAuth 2.0, for routes that libraries of other programs call (RFC 6749). */

const errors = {
  invalid_request: { status: 400, description: 'A parameter is missing, repeated or malformed' },
  invalid_client: { status: 401, description: 'Unknown client or wrong secret' },
  invalid_scope: { status: 400, description: 'The client does not have this scope' },
  unsupported_grant_type: { status: 400, description: 'The grant type must be client_credentials' },
} as const

type ErrorCode = keyof typeof errors

/** An error of RFC 6749 section 5.2. Throw it in a route of `oauthRoutes`. */
export class OAuthError extends Error {
  override name = 'OAuthError'
  readonly code: ErrorCode
  readonly logEntry: LogEntry | undefined

  constructor(code: ErrorCode, logEntry?: LogEntry) {
    super(errors[code].description)
    this.code = code
    this.logEntry = logEntry
  }
}

/** The error responses with these codes, by status, for the OpenAPI document. `others` are those of `problemResponses`. */
export function oauthResponses(codes: ErrorCode[], others: Record<number, { content: object }>) {
  const schema = (status: number) =>
    z
      .object({ error: z.string(), error_description: z.string() })
      .meta({ description: codes.filter((code) => errors[code].status === status).join(', or ') })
  const statuses = new Set(codes.map((code) => errors[code].status))
  const own = [...statuses].map((status) => {
    const content = { 'application/json': { schema: schema(status) }, ...others[status]?.content }
    return [status, { description: 'OAuth error', ...others[status], content }]
  })
  return { ...others, ...Object.fromEntries(own) }
}

/** Lets the routes of this plugin read forms, and answers their errors as RFC 6749 section 5.2 says. */
export function oauthRoutes(app: FastifyInstance): void {
  const form = 'application/x-www-form-urlencoded'
  app.addContentTypeParser(form, { parseAs: 'string' }, async (_request: FastifyRequest, body: string) => {
    const fields = [...new URLSearchParams(body)]
    // Which of two would count? A proxy that checks one could let another pass (section 3.2).
    if (new Set(fields.map(([name]) => name)).size < fields.length) throw new OAuthError('invalid_request')
    return Object.fromEntries(fields.filter(([, value]) => value !== ''))
  })
  app.setErrorHandler<FastifyError>(async (error, request, reply) => {
    const isMalformed = !(error instanceof ApiError) && error.statusCode === 400
    const refusal = isMalformed && !(error instanceof OAuthError) ? new OAuthError('invalid_request') : error
    // The handler of all routes answers it.
    if (!(refusal instanceof OAuthError)) throw error
    if (refusal.logEntry) logEvent(request, refusal.logEntry)
    const { status, description } = errors[refusal.code]
    if (status === 401) reply.header('www-authenticate', 'Basic realm="clients"')
    return reply.code(status).send({ error: refusal.code, error_description: description })
  })
}

/** The name and secret of a client in an Authorization header: each is form-encoded before base64 (section 2.3.1). */
export function basicCredentials(authorization = ''): { name: string; secret: string } | undefined {
  const [, base64 = ''] = /^Basic +([\w+/]+={0,2})$/i.exec(authorization) ?? []
  const [, name, secret] = /^([^:]+):(.+)$/.exec(Buffer.from(base64, 'base64').toString()) ?? []
  if (name === undefined || secret === undefined) return undefined
  const decode = (text: string) =>
    new URLSearchParams(`text=${text.replaceAll('&', '%26')}`).get('text') ?? ''
  return { name: decode(name), secret: decode(secret) }
}
