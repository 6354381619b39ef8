import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Caller } from '../accounts/access.ts'
import type { User } from '../accounts/users.ts'
import { ApiError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Guard: only with a valid access token; the route then has `request.user`. */
    requireUser: onRequestAsyncHookHandler
    /** Guard: anybody; the route has `request.optionalUser`, which is null without a valid access token. */
    loadUser: onRequestAsyncHookHandler
  }
  interface FastifyRequest {
    /** The caller, or null: set by the guards. */
    optionalCaller: Caller | null
    /** The caller. Reading it in a route without the guard `requireUser` throws: the route was left open by mistake. */
    readonly caller: Caller
    /** The caller's row. */
    readonly user: User
    /** The caller's row, or null. */
    readonly optionalUser: User | null
  }
}

/** The guards of the routes: `{ onRequest: app.requireUser }`. */
export default fp(
  async (app) => {
    const { accounts } = app

    /** @throws ApiError not_authenticated, token_expired, invalid_token */
    async function authenticate(request: FastifyRequest): Promise<void> {
      const [, token] = /^Bearer +([^ ].*)$/i.exec(request.headers.authorization ?? '') ?? []
      if (token === undefined) throw new ApiError('not_authenticated')
      const claims = accounts.accessTokens.verify(token)
      // A signature alone would keep a stolen token, or a deactivated user, in for the token's whole lifetime.
      const caller = await accounts.access.findCaller(claims)
      if (!caller?.user.isActive || caller.user.username !== claims.username)
        throw new ApiError('invalid_token')
      request.optionalCaller = caller
    }

    app.decorateRequest('optionalCaller', null)
    app.decorateRequest('caller', {
      getter() {
        if (this.optionalCaller === null)
          throw new Error(`${this.url}: no caller without the guard requireUser`)
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

    app.decorate('requireUser', authenticate)
    app.decorate('loadUser', async (request) => {
      try {
        await authenticate(request)
      } catch (error) {
        // A bad token makes an anonymous caller; a database that does not answer is still an error.
        if (!(error instanceof ApiError)) throw error
      }
    })
  },
  { dependencies: ['accounts'] },
)
