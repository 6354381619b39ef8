import fp from 'fastify-plugin'
import { hashToken, readToken } from '../sessions/refresh-tokens.ts'
import { isLive } from '../sessions/store.ts'
import { defaultClientId } from './gateway.ts'

/** What auth/introspect says about refresh tokens. It changes nothing: a replaced one that is asked about ends no session. */
export default fp(
  async (app) => {
    const { accessTokens, findSession, keys, now } = app.ctx
    app.tokenReaders.refresh.push(async (token) => {
      const known = readToken(token, keys.refreshTokens)
      const { session, user } = (known && (await findSession(known.sessionId))) ?? {}
      if (!session || !user?.isActive || !isLive(session, now())) return undefined
      // One that was replaced works for some seconds more, for a client that lost an answer. It is not live.
      if (session.token !== hashToken(token)) return undefined
      // As an access token of the session would say.
      const { client_id: clientId } = accessTokens.signers.current().claimsOf(user)
      return {
        sub: user.username,
        username: user.username,
        user_id: user.id,
        client_id: typeof clientId === 'string' ? clientId : defaultClientId,
        token_type: 'refresh_token',
        iat: Math.floor((session.rotatedAt ?? session.createdAt).getTime() / 1000),
        exp: Math.floor(session.expiresAt.getTime() / 1000),
      }
    })
  },
  { dependencies: ['gateway'] },
)
