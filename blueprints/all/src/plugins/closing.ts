import fp from 'fastify-plugin'
import { ApiError } from '../errors.ts'

/**
 * During shutdown, running requests finish, new ones get 503, and every response asks the client to close the
 * connection. Otherwise an idle keep-alive connection would delay the shutdown until its timeout.
 */
export default fp(async (app) => {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  // Callbacks instead of promises, because these hooks run on every request.
  app.addHook('onRequest', (_request, _reply, done) => {
    done(closing ? new ApiError('unavailable', { retryAfter: 1 }) : undefined)
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })
})
