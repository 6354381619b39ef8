import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { ApiError, type ProblemName } from './errors/api-error.ts'

/** Headers of every response: caches must not store it, and browsers must not guess its type. */
export const baseHeaders = (requestId: string) => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
})

/** Body of an error response. Leaves out the query string, which may contain secrets. */
export function problemBody(error: ApiError, path: string, requestId: string) {
  const { code, status, title } = error.problem
  const { fields, detail = title } = error.details
  return {
    type: `urn:problem:${code.replaceAll('_', '-')}`,
    title,
    status,
    detail,
    code,
    instance: path.split('?', 1)[0],
    request_id: requestId,
    ...(fields && { errors: fields }),
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
    .send(problemBody(error, request.url, request.id))
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
  const timer = setTimeout(() => socket.destroy(), 1_000)
  socket.once('close', () => clearTimeout(timer))
}
