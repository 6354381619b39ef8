import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { ApiError } from './errors.ts'

/** Headers of every answer: nothing here may be kept by a cache, or read as another type than it says. */
export const baseHeaders = (requestId: string) => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
})

/** Body of an error answer, for a path without its query: a query may hold what belongs in no log and no answer. */
function problemBody(error: ApiError, path: string, requestId: string) {
  const { fields } = error.details
  const { code, status, title } = error.problem
  return {
    type: `urn:problem:${code.replaceAll('_', '-')}`,
    title,
    status,
    detail: title,
    code,
    instance: path.split('?', 1)[0],
    request_id: requestId,
    ...(fields && { errors: fields }),
  }
}

export function sendProblem(error: ApiError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, challenge } = error.problem
  if (challenge) reply.header('www-authenticate', challenge)
  if (error.details.retryAfter !== undefined) reply.header('retry-after', error.details.retryAfter)
  return reply
    .code(status)
    .type('application/problem+json')
    .send(problemBody(error, request.url, request.id))
}

/** Answers a URL that cannot be decoded (`/%zz`) or is too long: it reaches no route, so no hook and no error handler. */
export const refuseBadUrl: FastifyServerOptions['frameworkErrors'] = (error, request, reply) => {
  for (const [name, value] of Object.entries(baseHeaders(request.id))) reply.header(name, value)
  sendProblem(new ApiError(error.statusCode === 414 ? 'uri_too_long' : 'bad_request'), request, reply)
}

/** Answers bytes that are no HTTP request, or too many of them; then the connection is closed (RFC 9112 section 9.6). */
export function refuseUnreadableRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const requestId = randomUUID()
  const refusal = new ApiError(
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'bad_request',
  )
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
}
