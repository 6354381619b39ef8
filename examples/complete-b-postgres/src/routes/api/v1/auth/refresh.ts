import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../../../errors.ts'
import { problemResponses } from '../../../../schemas/problem.ts'
import { text } from '../../../../schemas/text.ts'
import { tokenResponse } from '../../../../schemas/token.ts'

export default (async (app) => {
  const { accounts, config, db } = app
  const limit = app.addressLimit('refresh', config.rateLimits.refreshFailures)

  app.post(
    '/refresh',
    {
      schema: {
        tags: ['auth'],
        summary: 'Exchange a refresh token for a new one and an access token',
        body: z.strictObject({ refresh_token: text() }),
        response: {
          200: tokenResponse,
          ...problemResponses(
            'bad_request',
            'invalid_refresh_token',
            'payload_too_large',
            'unsupported_media_type',
            'validation_failed',
            'too_many_requests',
            'unavailable',
          ),
        },
      },
    },
    async (request) => {
      // A replay ends the session: the transaction is committed before the answer refuses the token.
      const refresh = await db.transaction((tx) => accounts.sessions.refresh(tx, request.body.refresh_token))
      if (refresh.outcome === 'replayed') {
        const { userId, sessionId } = refresh
        request.log.warn(
          { event: 'refresh.replayed', userId, sessionId },
          'replaced refresh token used again',
        )
      }
      if (refresh.outcome !== 'refreshed') {
        await limit.take(request.ip)
        throw new ApiError('invalid_refresh_token')
      }
      const { user, sessionId, refreshToken } = refresh
      request.log.info({ event: 'refresh.succeeded', userId: user.id, sessionId }, 'refreshed')
      return accounts.access.tokens(user, sessionId, refreshToken)
    },
  )
}) satisfies FastifyPluginAsyncZod
