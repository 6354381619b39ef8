import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../errors/api-error.ts'
import { guard } from '../schemas/problem.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Guard: superusers only. Comes after requireUser: `[app.requireUser, app.requireSuperuser]`. */
    requireSuperuser: onRequestAsyncHookHandler
  }
}

/** The guard reads the flag from the user's row, not from the token, so a demotion takes effect immediately. */
export default fp(async (app) => {
  const requireSuperuser = async (request: FastifyRequest) => {
    if (!request.user.isSuperuser) throw new ApiError('forbidden')
  }
  app.decorate('requireSuperuser', guard(['forbidden'], requireSuperuser))
})
