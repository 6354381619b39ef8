import fp from 'fastify-plugin'
import { ApiError } from '../errors/api-error.ts'

/** What a service may know about a live token (RFC 7662 section 2.2). Times are in seconds since 1970. */
export interface TokenInfo {
  sub: string
  username?: string
  user_id?: number
  client_id: string
  scope?: string
  token_type: string
  iat: number
  exp: number
}

/** Undefined for a token of another kind, and for one that is not live. */
export type TokenReader = (token: string) => Promise<TokenInfo | undefined>

declare module 'fastify' {
  interface FastifyInstance {
    /** Read the tokens for auth/introspect: the first that knows one answers. */
    tokenReaders: {
      access: TokenReader[]
      /** Asked only with `token_type_hint=refresh_token`: a service must not take a refresh token for an access token. */
      refresh: TokenReader[]
    }
  }
}

/** The `client_id` of tokens that do not name one: they belong to the front end of this service. */
export const defaultClientId = 'my-api'

/** What auth/introspect says about the access tokens of users. */
export default fp(
  async (app) => {
    async function readUserToken(token: string): Promise<TokenInfo | undefined> {
      try {
        const { user, expiresAt } = await app.callerOf(token)
        const { issuedAt, payload } = app.ctx.accessTokens.verify(token)
        return {
          sub: user.username,
          username: user.username,
          user_id: user.id,
          client_id: typeof payload.client_id === 'string' ? payload.client_id : defaultClientId,
          token_type: 'bearer',
          iat: issuedAt,
          exp: expiresAt,
        }
      } catch (error) {
        // A database failure is no answer about a token: it would end every session of the service that asks.
        if (error instanceof ApiError) return undefined
        throw error
      }
    }
    app.decorate('tokenReaders', { access: [readUserToken], refresh: [] })
  },
  { name: 'gateway', dependencies: ['guards'] },
)
