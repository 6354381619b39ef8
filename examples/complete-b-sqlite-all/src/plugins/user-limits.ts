import type { onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { createUserLimit } from '../limits/attempts.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Creates a limit of `max` requests per user and hour, whatever their outcome, as a guard after `requireUser`:
     * `onRequest: [app.requireUser, app.userLimit('posts', 30)]`. Counted in the database, for all instances together.
     * Routes with one name share a count.
     */
    userLimit(name: string, max: number): onRequestAsyncHookHandler
  }
}

/** Limits by user: one with many addresses or tokens cannot fill the database. */
export default fp(
  async (app) => {
    app.decorate('userLimit', (name, max) => {
      const count = createUserLimit(app, `route ${name}`, max)
      return async (request) => count(request.user.id)
    })
  },
  { dependencies: ['accounts'] },
)
