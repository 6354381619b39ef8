import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../../../errors/api-error.ts'
import { logEvent } from '../../../../problem.ts'
import { submittedToken } from '../../../../schemas/text.ts'
import { tokenResponse } from '../../../../schemas/user.ts'
import { refreshSession } from '../../../../sessions/sessions.ts'

export default (async (app) => {
  const { config, ctx } = app
  // Slows down guessing. Only failures count, because many clients can share an address.
  const failures = app.addressLimit('refresh', config.rateLimits.refreshFailures)

  app.post(
    '/refresh',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'refresh',
        summary: 'Exchange a refresh token for a new one and an access token',
        description: 'A refresh token works once. Using a replaced one ends its session.',
        body: z.strictObject({ refresh_token: submittedToken }),
        response: { 200: tokenResponse },
        problems: ['invalid_refresh_token'],
      },
    },
    async (request) => {
      const client = { address: request.ip }
      const refresh = await refreshSession(ctx, request.body.refresh_token, client)
      if (refresh.outcome === 'replayed') {
        const { userId, sessionId } = refresh
        const log = { event: 'refresh.replayed', level: 'warn', userId, sessionId } as const
        throw new ApiError('invalid_refresh_token', { log })
      }
      if (refresh.outcome === 'invalid') {
        await failures.take(request.ip)
        throw new ApiError('invalid_refresh_token')
      }
      const { userId, sessionId, tokens } = refresh
      logEvent(request, { event: 'refresh.succeeded', userId, sessionId })
      return tokens
    },
  )
}) satisfies FastifyPluginAsyncZod
