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
    // Node.js would refuse an unknown expectation itself, without these headers.
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
    // Callbacks instead of promises, because these hooks run on every request.
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(headers)
      const hosts = countHosts(request.raw.rawHeaders)
      if (hosts === 1 || (hosts === 0 && request.raw.httpVersion === '1.0')) return done()
      reply.header('connection', 'close')
      done(new ApiError('bad_request'))
    })
    const origin = [...app.config.server.corsOrigins, ...(app.otherOrigins ?? [])]
    if (origin.length > 0)
      await app.register(cors, {
        origin,
        // Otherwise it would refuse any other OPTIONS in a format of its own.
        strictPreflight: false,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'],
        exposedHeaders: ['retry-after', 'x-request-id'],
      })

    // Set on send, so that they also replace the cache headers of the API page's files.
    app.addHook('onSend', (request, reply, _payload, done) => {
      reply.headers(baseHeaders(request.id))
      done()
    })
  },
  { name: 'security-headers' },
)

/** Counts Host headers (RFC 9112 section 3.2). A proxy and the service could read different ones. For speed, the length first. */
const countHosts = (rawHeaders: string[]): number =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length
