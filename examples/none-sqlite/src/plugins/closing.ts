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
  app.addHook('onRequest', async () => {
    if (closing) throw new ApiError('unavailable', { retryAfter: 1 })
  })
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
  })
})
