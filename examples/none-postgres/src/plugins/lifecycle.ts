import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import type { AppOptions } from '../app.ts'
import { ApiError } from '../errors/api-error.ts'

declare module '../app.ts' {
  interface AppOptions {
    /** Resolves when the migrations are applied. Default: they are. */
    migrated?: Promise<unknown>
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on the service is not ready, so that load balancers send no more requests. It still answers all others. */
    drain(): void
  }
}

/**
 * While migrations are applied, the service is live, but every other request gets 503. Jobs start in the hook `onListen`:
 * their plugins depend on this one, so their hooks run after its own. During shutdown, running requests finish and new
 * ones get 503.
 */
export default fp<AppOptions>(
  async (app, { migrated }) => {
    let isStarting = migrated !== undefined
    let isDraining = false
    let isClosing = false
    app.decorate('drain', () => {
      isDraining = true
    })
    const sockets = new Set<Socket>()
    app.server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    app.addHook('onListen', (done) => {
      const start = () => {
        isStarting = false
        if (!isClosing) done()
      }
      // After a failure, start.ts ends the process.
      Promise.resolve(migrated).then(start, () => {})
    })
    app.addHook('preClose', async () => {
      isClosing = true
      // Node.js would wait for clients that are silent, or stop in the middle of a request. They have a second.
      setTimeout(() => {
        for (const socket of sockets) if (!isRunning(socket)) socket.destroy()
      }, 1_000).unref()
    })
    // Callbacks instead of promises, because these hooks run on every request.
    app.addHook('onRequest', (request, _reply, done) => {
      const { url } = request.routeOptions
      const isRefused =
        isClosing || (isStarting && url !== '/health/live') || (isDraining && url === '/health/ready')
      done(isRefused ? new ApiError('unavailable', { retryAfter: 1 }) : undefined)
    })
    app.addHook('onSend', (_request, reply, _payload, done) => {
      // An idle keep-alive connection would delay the shutdown until its timeout.
      if (isClosing) reply.header('connection', 'close')
      done()
    })
  },
  // Its hook comes first, so that a page of another origin can read the 503 and try again.
  { name: 'lifecycle', dependencies: ['security-headers'] },
)

/** Whether a whole request has arrived and its response is not sent yet. Node.js keeps that response at the socket. */
const isRunning = (socket: Socket & { _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage?.req.complete === true
