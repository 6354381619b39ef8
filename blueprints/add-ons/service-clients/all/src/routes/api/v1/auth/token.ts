import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../problem.ts'
import { basicCredentials, OAuthError, oauthResponses, oauthRoutes } from '../../../../schemas/oauth.ts'
import { problemResponses } from '../../../../schemas/problem.ts'
import { text } from '../../../../schemas/text.ts'
import { readScopes } from '../../../../service-clients/clients.ts'
import {
  authenticateClient,
  clientTokenSeconds,
  issueClientToken,
} from '../../../../service-clients/tokens.ts'

/** An empty field counts as missing, and unknown ones are ignored (RFC 6749 section 3.2). */
const field = (maxLength: number) => text(maxLength).optional()
const tokenRequest = z
  .object({
    grant_type: text(100),
    client_id: field(64),
    client_secret: field(512),
    scope: field(4096).meta({ description: 'Default: all scopes of the client' }),
  })
  .meta({ examples: [{ grant_type: 'client_credentials', scope: 'orders:read' }] })

type TokenRequest = z.output<typeof tokenRequest>

/** The name and secret from the header or the body. @throws OAuthError */
function credentialsIn(authorization: string | undefined, body: TokenRequest) {
  const { client_id: name, client_secret: secret } = body
  const basic = basicCredentials(authorization)
  if (authorization === undefined) {
    if (name && secret) return { name, secret }
  } else {
    // Which of two would count? (RFC 6749 section 2.3)
    if (secret || (name && basic && name !== basic.name)) throw new OAuthError('invalid_request')
    if (basic) return basic
  }
  throw new OAuthError('invalid_client', { event: 'client.refused' })
}

/** For programs without a user: the client credentials grant. */
export default (async (app) => {
  const { ctx } = app
  oauthRoutes(app)

  app.post(
    '/token',
    {
      onRequest: app.limitRequests,
      schema: {
        tags: ['auth'],
        operationId: 'issueClientToken',
        summary: 'Exchange the secret of a service client for an access token',
        description:
          'As a form or JSON, with the name and secret as Basic credentials or in the body (RFC 6749 section 4.4).',
        consumes: ['application/x-www-form-urlencoded', 'application/json'],
        body: tokenRequest,
        response: {
          200: z.object({
            access_token: z.string(),
            token_type: z.literal('bearer'),
            expires_in: z.int().meta({ description: 'Seconds' }),
            scope: z.string(),
          }),
          ...oauthResponses(
            ['invalid_request', 'invalid_client', 'invalid_scope', 'unsupported_grant_type'],
            problemResponses('payload_too_large', 'unsupported_media_type', 'too_many_requests'),
          ),
        },
      },
    },
    async (request, reply) => {
      const { body, headers, ip: address } = request
      if (body.grant_type !== 'client_credentials') throw new OAuthError('unsupported_grant_type')
      const credentials = credentialsIn(headers.authorization, body)
      const client = await authenticateClient(ctx, app.findServiceClient, { ...credentials, address })
      const own = client.scope.split(' ').filter(Boolean)
      const scopes = body.scope ? readScopes(body.scope) : own
      // A program must not get more than its operator gave it.
      if (!scopes?.every((scope) => own.includes(scope)))
        throw new OAuthError('invalid_scope', { event: 'client.scope_refused', client: client.name })
      logEvent(request, { event: 'client.token_issued', client: client.name })
      const scope = scopes.join(' ')
      // Required beside Cache-Control (RFC 6749 section 5.1).
      reply.header('pragma', 'no-cache')
      return {
        access_token: issueClientToken(ctx, client.name, scope),
        token_type: 'bearer' as const,
        expires_in: clientTokenSeconds,
        scope,
      }
    },
  )
}) satisfies FastifyPluginAsyncZod
