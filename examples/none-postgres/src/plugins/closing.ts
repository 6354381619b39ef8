import fp from 'fastify-plugin'
import { ApiError } from '../errors.ts'

/**
 * While the service stops, requests under way finish, new ones on open connections get 503, and every answer asks the
 * client to close the connection: otherwise one idle keep-alive client would hold up the stop for its whole timeout.
 */
export default fp(async (app) => {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  // Callbacks rather than promises: these run with every request.
  app.addHook('onRequest', (_request, _reply, done) => {
    done(closing ? new ApiError('unavailable', { retryAfter: 1 }) : undefined)
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })
})
