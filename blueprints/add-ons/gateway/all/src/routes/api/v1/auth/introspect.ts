import { createHash, timingSafeEqual } from 'node:crypto'
import type { onRequestAsyncHookHandler } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { basicCredentials, OAuthError, oauthResponses, oauthRoutes } from '../../../../schemas/oauth.ts'
import { problemResponses } from '../../../../schemas/problem.ts'
import { text } from '../../../../schemas/text.ts'

const tokenInfo = z
  .object({
    active: z.boolean(),
    sub: z.string().optional(),
    username: z.string().optional(),
    user_id: z.int().optional(),
    client_id: z.string().optional(),
    scope: z.string().optional(),
    token_type: z.string().optional(),
    iat: z.int().optional().meta({ description: 'Seconds since 1970' }),
    exp: z.int().optional().meta({ description: 'Seconds since 1970' }),
  })
  .meta({ id: 'TokenInfo', examples: [{ active: false }] })

const hash = (secret: string) => createHash('sha256').update(secret).digest()

/** For services that have a token and want to know whose it is. */
export default (async (app) => {
  const { introspectionClients, introspectionFailures } = app.config.gateway
  const failures = app.addressLimit('introspection', introspectionFailures)
  const clients = introspectionClients.map((client) => ({
    ...client,
    hash: Buffer.from(client.hash, 'base64url'),
  }))
  oauthRoutes(app)
  // A form as RFC 7662 says: no page of a browser can send Basic credentials with one.
  app.removeContentTypeParser('application/json')

  /** Before the body is read: who may not ask must not keep the service busy. */
  const requireIntrospectionClient: onRequestAsyncHookHandler = async function (request, reply) {
    const { name, secret } = basicCredentials(request.headers.authorization) ?? { name: '', secret: '' }
    const given = hash(secret)
    // All are compared, and in constant time: otherwise the time tells which names exist, and how much of a guess is right.
    const matches = clients.map((client) => timingSafeEqual(client.hash, given) && client.name === name)
    // Right credentials count for no limit: a proxy asks once for each of its requests.
    if (matches.includes(true)) return
    await app.limitRequests.call(this, request, reply)
    await failures.take(request.ip)
    throw new OAuthError('invalid_client', { event: 'introspection.refused' })
  }

  app.post(
    '/introspect',
    {
      onRequest: requireIntrospectionClient,
      schema: {
        tags: ['auth'],
        operationId: 'introspectToken',
        summary: 'Whether a token is live and whose it is, for other services',
        description:
          'With Basic credentials of INTROSPECTION_CLIENTS (RFC 7662). Refresh tokens only with token_type_hint=refresh_token.',
        consumes: ['application/x-www-form-urlencoded'],
        body: z.object({ token: text(), token_type_hint: text().optional() }),
        response: {
          200: tokenInfo,
          ...oauthResponses(
            ['invalid_request', 'invalid_client'],
            problemResponses('payload_too_large', 'unsupported_media_type', 'too_many_requests'),
          ),
        },
      },
    },
    async (request) => {
      const { token, token_type_hint: hint } = request.body
      const { access, refresh } = app.tokenReaders
      for (const read of hint === 'refresh_token' ? [...refresh, ...access] : access) {
        const info = await read(token)
        if (info) return { active: true, ...info }
      }
      // Nothing else: why a token is not live is nobody's business (section 2.2).
      return { active: false }
    },
  )
}) satisfies FastifyPluginAsyncZod
