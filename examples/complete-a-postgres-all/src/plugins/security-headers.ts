import cors from '@fastify/cors'
import fp from 'fastify-plugin'
import { ApiError } from '../errors/api-error.ts'
import { baseHeaders } from '../problem.ts'

/** Responses are data, not pages: these headers restrict what a browser does with them. */
const headers = {
  // A response that is opened as a page cannot load or run anything, and cannot be framed.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // Other sites cannot embed a response, and do not learn a URL of this service from a link.
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  // After one visit over HTTPS, browsers no longer use plain HTTP, where an attacker could read tokens.
  'strict-transport-security': 'max-age=31536000',
}

export default fp(
  async (app) => {
    const { corsOrigins } = app.config.server
    if (corsOrigins.length > 0) {
      await app.register(cors, {
        origin: corsOrigins,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
        exposedHeaders: ['retry-after', 'x-request-id'],
      })
    }

    // Callbacks instead of promises, because these hooks run on every request.
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(headers)
      if (countHosts(request.raw.rawHeaders) < 2) return done()
      reply.header('connection', 'close')
      done(new ApiError('bad_request'))
    })
    // Set on send, so that they also replace the cache headers of the API page's files.
    app.addHook('onSend', (request, reply, _payload, done) => {
      reply.headers(baseHeaders(request.id))
      done()
    })
  },
  { name: 'security-headers' },
)

/** Counts Host headers. A proxy could apply its rules to one, and the service read another: Node.js keeps the first. */
function countHosts(rawHeaders: string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    // The length is compared first because this runs on every request.
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++
  }
  return hosts
}
