import cors from '@fastify/cors'
import fp from 'fastify-plugin'
import { baseHeaders } from '../problem.ts'

/** Tell browsers to do as little as possible with what is data, and no page. Fixed: nothing is computed for a request. */
const headers = {
  // A browser that is led to open an answer as a page may load, run and frame nothing.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // Other sites can neither embed an answer nor learn an address of ours from a link.
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  // Seen once over HTTPS, the service is never asked over plain HTTP again, where a token could be read on the way.
  'strict-transport-security': 'max-age=31536000',
}

export default fp(async (app) => {
  const { corsOrigins } = app.config.server
  if (corsOrigins.length > 0) {
    await app.register(cors, { origin: corsOrigins, exposedHeaders: ['retry-after', 'x-request-id'] })
  }

  // Callbacks rather than promises: these run with every request.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
  // Last, so that a file of the API page is not kept by a cache either.
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.headers(baseHeaders(request.id))
    done()
  })
})
