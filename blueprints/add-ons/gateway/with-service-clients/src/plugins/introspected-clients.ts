import fp from 'fastify-plugin'
import { ApiError } from '../errors/api-error.ts'

/** What auth/introspect says about the access tokens of service clients. */
export default fp(
  async (app) => {
    app.tokenReaders.access.push(async (token) => {
      try {
        const { name, scopes, issuedAt, expiresAt } = await app.serviceClientOf(token)
        const scope = scopes.join(' ')
        return { sub: name, client_id: name, scope, token_type: 'bearer', iat: issuedAt, exp: expiresAt }
      } catch (error) {
        if (error instanceof ApiError) return undefined
        throw error
      }
    })
  },
  { dependencies: ['gateway', 'service-clients'] },
)
