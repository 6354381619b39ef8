import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import fp from 'fastify-plugin'
import { baseHeaders } from '../problem.ts'

/** Headers that tell browsers and caches to do as little as possible with the answers. */
export default fp(async (app) => {
  await app.register(helmet, {
    // The API serves data: a browser that is led to show an answer as a page may load, run and frame nothing.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
  })
  await app.register(cors, {
    origin: app.config.server.corsOrigins,
    exposedHeaders: ['retry-after', 'x-request-id'],
  })

  app.addHook('onSend', async (request, reply) => {
    reply.headers(baseHeaders(request.id))
  })
})
