import type { onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { requireRecentLogin } from '../accounts/reauthenticate.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Guard: users who logged in less than 10 minutes ago. After requireUser: `[app.requireUser, app.requireRecentLogin]`. */
    requireRecentLogin: onRequestAsyncHookHandler
  }
}

/** For routes for which an unlocked browser or a stolen token must not be enough. */
export default fp(async (app) => {
  app.decorate('requireRecentLogin', async (request) => requireRecentLogin(request.caller, app.now()))
})
