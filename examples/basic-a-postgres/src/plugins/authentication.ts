import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Caller } from '../access/access.ts'
import { ApiError } from '../errors/api-error.ts'
import { logEvent } from '../events.ts'
import type { User } from '../users/users.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Guard for routes that need no user: RATE_LIMIT_AUTH_REQUESTS, for all of them together. */
    limitRequests: onRequestAsyncHookHandler
    /** Guard: requires a valid access token. Sets `request.user`. */
    requireUser: onRequestAsyncHookHandler
    /** Guard: lets everyone in. Sets `request.optionalUser`, null without a valid access token. */
    loadUser: onRequestAsyncHookHandler
  }
  interface FastifyRequest {
    /** The caller or null, set by the guards. */
    optionalCaller: Caller | null
    /** The caller. Throws in a route without the guard `requireUser`, which was probably left open by mistake. */
    readonly caller: Caller
    /** The caller's row. */
    readonly user: User
    /** The caller's row, or null. */
    readonly optionalUser: User | null
  }
}

/** The guards for routes: `{ onRequest: app.requireUser }`. */
export default fp(
  async (app) => {
    const { accounts, config } = app
    const requests = app.addressLimit('auth-requests', config.rateLimits.authRequests)

    /** @throws ApiError of `bearerProblems` */
    async function authenticate(request: FastifyRequest): Promise<void> {
      const [, token] = /^Bearer +([^ ].*)$/i.exec(request.headers.authorization ?? '') ?? []
      if (token === undefined) throw new ApiError('not_authenticated')
      const accessToken = accounts.access.accessTokens.verify(token)
      // With the signature alone, a stolen token or a deactivated user would be accepted until the token expires.
      const caller = await accounts.access.findCaller(accessToken)
      // After a restored backup, the id may belong to another user.
      if (!caller?.user.isActive || caller.user.username !== accessToken.username)
        throw new ApiError('invalid_token', { log: { userId: accessToken.userId } })
      request.optionalCaller = caller
    }

    app.decorateRequest('optionalCaller', null)
    app.decorateRequest('caller', {
      getter() {
        if (this.optionalCaller === null)
          throw new Error(`${this.routeOptions.url} needs a guard: add onRequest: app.requireUser`)
        return this.optionalCaller
      },
    })
    app.decorateRequest('user', {
      getter() {
        return this.caller.user
      },
    })
    app.decorateRequest('optionalUser', {
      getter() {
        return this.optionalCaller?.user ?? null
      },
    })

    // Before the body is read, and whatever token is sent: one client's flood must not slow down everyone else.
    app.decorate('limitRequests', async (request) => {
      await requests.take(request.ip)
    })
    app.decorate('requireUser', authenticate)
    app.decorate('loadUser', async (request) => {
      try {
        await authenticate(request)
      } catch (error) {
        // With a bad token the caller is anonymous. A database failure is still an error.
        if (!(error instanceof ApiError)) throw error
        if (error.logEntry && request.headers.authorization !== undefined) logEvent(request, error.logEntry)
      }
    })
  },
  { dependencies: ['accounts', 'address-limits'] },
)
