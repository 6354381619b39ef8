import type { onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Guard: only for users with a confirmed address. After requireUser: `[app.requireUser, app.requireVerifiedUser]`. */
    requireVerifiedUser: onRequestAsyncHookHandler
  }
}

/** @throws ApiError user_not_verified. The flag is read from the user's row: it is gone as soon as the address changes. */
export default fp(async (app) => {
  app.decorate('requireVerifiedUser', async (request) => {
    if (!request.user.isVerified) throw new ApiError('user_not_verified')
  })
})
