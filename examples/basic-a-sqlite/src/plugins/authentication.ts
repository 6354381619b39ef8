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
    /** The caller, or null without a valid access token; set by the guards. */
    caller: Caller | null
    /** The caller's row. Reading it in a route without the guard `requireUser` throws: it was left open by mistake. */
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
      if (
        !caller?.user.isActive ||
        caller.user.username !== claims.username ||
        claims.issuedAt * 1000 < caller.user.tokensValidFrom.getTime()
      ) {
        throw new ApiError('invalid_token')
      }
      request.caller = caller
    }

    app.decorateRequest('caller', null)
    app.decorateRequest('optionalUser', {
      getter() {
        return this.caller?.user ?? null
      },
    })
    app.decorateRequest('user', {
      getter() {
        if (this.caller === null) throw new Error(`${this.url}: request.user without the guard requireUser`)
        return this.caller.user
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
