import type { onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../errors/api-error.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Guard: verified users only. Comes after requireUser: `[app.requireUser, app.requireVerifiedUser]`. */
    requireVerifiedUser: onRequestAsyncHookHandler
  }
}

/** The guard reads the flag from the user's row, not from the token: a new address must be verified again. */
export default fp(async (app) => {
  app.decorate('requireVerifiedUser', async (request) => {
    if (!request.user.isVerified) throw new ApiError('user_not_verified')
  })
})
