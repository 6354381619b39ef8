import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify'
import { ApiError, type LogEntry, type ProblemName } from './errors/api-error.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Called with each event of a request. */
    eventListeners: ((entry: LogEntry) => void)[]
  }
}

/** Headers of every response: caches must not store it, and browsers must not guess its type. */
export const baseHeaders = (requestId: string) => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
})

/** The path of a request, for the log and the answer. The query, and the absolute form before the host, contain secrets. */
export const pathOf = ({ url }: Pick<FastifyRequest, 'url'>): string =>
  url.replace(/^[^/*?#][^/?#]*(\/\/+[^/?#]*)?|[?#].*/gs, '') || '/'

/** Body of an error response. */
export function problemBody(error: ApiError, path: string, requestId: string) {
  const { code, status, title } = error.problem
  const { fields, detail = title, members } = error.details
  return {
    type: `urn:problem:${code.replaceAll('_', '-')}`,
    title,
    status,
    detail,
    code,
    instance: path,
    request_id: requestId,
    ...(fields && { errors: fields }),
    ...members,
  }
}

/** Sends an error as problem details, with the headers WWW-Authenticate and Retry-After if it has them. */
export function sendProblem(error: ApiError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, challenge } = error.problem
  if (challenge) reply.header('www-authenticate', challenge)
  if (error.details.retryAfter !== undefined) reply.header('retry-after', error.details.retryAfter)
  return reply
    .code(status)
    .type('application/problem+json')
    .send(problemBody(error, pathOf(request), request.id))
}

/** Responds to a URL that cannot be decoded (`/%zz`) or is too long. Fastify runs no hooks or error handler for it. */
export const refuseBadUrl: FastifyServerOptions['frameworkErrors'] = (error, request, reply) => {
  for (const [name, value] of Object.entries(baseHeaders(request.id))) reply.header(name, value)
  sendProblem(new ApiError(error.statusCode === 414 ? 'uri_too_long' : 'bad_request'), request, reply)
}

/** Problems by the error code of Node.js for a request that it cannot read. */
const unreadable: Partial<Record<string, ProblemName>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Responds to invalid HTTP and to too large or slow requests, and closes the connection (RFC 9112 section 9.6). */
export function refuseUnreadableRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const requestId = randomUUID()
  const refusal = new ApiError(unreadable[error.code ?? ''] ?? 'bad_request')
  const body = JSON.stringify(problemBody(refusal, '', requestId))
  const headers = {
    ...baseHeaders(requestId),
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const { status, title } = refusal.problem
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`)
  // Clients that keep their side open could otherwise hold connections until the service accepts no others.
  setTimeout(() => socket.destroy(), 1_000).unref()
}

/** Logs an event of a request: with the address of the client, and the request's id from its logger. */
export function logEvent(request: FastifyRequest, logged: LogEntry): void {
  for (const listen of request.server.eventListeners) listen(logged)
  const { level = 'info', event, ...fields } = logged
  if (level === 'silent') return
  const entry = {
    event,
    userId: request.optionalCaller?.user.id,
    ...fields,
    address: request.ip,
  }
  request.log[level](entry, event.replaceAll(/[._]/g, ' '))
}

/**
 * Logs one line per response. Leaves out query, headers and bodies, which can contain secrets. Health checks come every few
 * seconds and would hide the rest.
 */
export class RequestLog extends LogController {
  override requestCompleted(_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const level = request.routeOptions.url?.startsWith('/health/') ? 'debug' : 'info'
    const { method, ip: address } = request
    const [status, ms] = [reply.statusCode, Math.round(reply.elapsedTime)]
    request.log[level]({ method, path: pathOf(request), status, ms, address }, 'request')
  }
}

/** The header of W3C Trace Context, version 00: exactly 55 characters, and neither of the ids is zero. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * The id of a request. With a valid traceparent it is the trace id and a random span id, so that the request is found
 * among the others of its trace. Random in any case: a client could reuse the id of another request, and hide in its log.
 */
export function createRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  if (typeof headers.traceparent !== 'string') return randomUUID()
  const [, traceId] = traceparent.exec(headers.traceparent) ?? []
  return traceId === undefined ? randomUUID() : `${traceId}-${randomBytes(8).toString('hex')}`
}
