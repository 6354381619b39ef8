import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { ApiError } from '../errors/api-error.ts'

/** How long a client may take to finish sending a request during shutdown, in milliseconds. */
const incompleteMs = 1_000

/**
 * During shutdown, running requests finish, new ones get 503, and every response asks the client to close the
 * connection. Otherwise an idle keep-alive connection would delay the shutdown until its timeout.
 */
export default fp(
  async (app) => {
    let closing = false
    const sockets = new Set<Socket>()
    app.server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    app.addHook('preClose', async () => {
      closing = true
      // Node.js closes only idle connections: one silent client could delay every shutdown until the process is killed.
      setTimeout(() => {
        for (const socket of sockets) if (!isRunning(socket)) socket.destroy()
      }, incompleteMs).unref()
    })
    // Callbacks instead of promises, because these hooks run on every request.
    app.addHook('onRequest', (_request, _reply, done) => {
      done(closing ? new ApiError('unavailable', { retryAfter: 1 }) : undefined)
    })
    app.addHook('onSend', (_request, reply, _payload, done) => {
      if (closing) reply.header('connection', 'close')
      done()
    })
  },
  // Its hook comes first, so that a page of another origin can read the 503 and try again.
  { dependencies: ['security-headers'] },
)

/** Whether a whole request has arrived and its response is not sent yet. Node.js keeps that response at the socket. */
function isRunning(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.req.complete === true
}
