import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
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
    /** The caller. Reading it in a route without the guard `requireUser` throws: the route was left open by mistake. */
    readonly user: User
    /** The caller, or null. */
    optionalUser: User | null
    /** When the caller's access token was issued, in milliseconds since 1970. */
    authenticatedAt: number
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
      const { userId, username, issuedAt } = accounts.accessTokens.verify(token)
      // A signature alone would keep a stolen token, or a deactivated user, in for the token's whole lifetime.
      const user = await accounts.users.findById(userId)
      if (!user?.isActive || user.username !== username || issuedAt * 1000 < user.tokensValidFrom.getTime()) {
        throw new ApiError('invalid_token')
      }
      request.optionalUser = user
      request.authenticatedAt = issuedAt * 1000
    }

    app.decorateRequest('optionalUser', null)
    app.decorateRequest('authenticatedAt', 0)
    app.decorateRequest('user', {
      getter() {
        if (this.optionalUser === null)
          throw new Error(`${this.url}: request.user without the guard requireUser`)
        return this.optionalUser
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
