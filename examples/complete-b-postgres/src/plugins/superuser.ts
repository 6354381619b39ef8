import type { onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Guard: only for superusers. Goes after requireUser: `onRequest: [app.requireUser, app.requireSuperuser]`. */
    requireSuperuser: onRequestAsyncHookHandler
  }
}

/** @throws ApiError forbidden. The flag is read from the user's row: a token issued before a demotion is no way in. */
export default fp(async (app) => {
  app.decorate('requireSuperuser', async (request) => {
    if (!request.user.isSuperuser) throw new ApiError('forbidden')
  })
})
