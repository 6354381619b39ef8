import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../problem.ts'
import { emailToken } from '../../../../schemas/text.ts'
import { undoAdditions } from '../../../../sign-in/undo-additions.ts'

export default (async (app) => {
  const { config, ctx } = app
  const failures = app.addressLimit('token', config.rateLimits.tokenFailures)

  app.post(
    '/undo-additions',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'undoAdditions',
        summary: 'Remove what was added to an account in the last days, with the token of a reset',
        description:
          'After the reset, until its token expires. Removes what was added since 7 days before its email, and ends all sessions of the user.',
        body: z.strictObject({ token: emailToken }),
        response: { 200: z.object({ removed: z.array(z.string()).meta({ examples: [['totp']] }) }) },
        problems: ['invalid_or_expired_token'],
      },
    },
    async (request) => {
      // Counted as a failure until it succeeds, so that concurrent guesses cannot exceed the limit.
      const giveBack = await failures.take(request.ip)
      const { userId, removed } = await undoAdditions(ctx, request.body.token)
      await giveBack()
      logEvent(request, { event: 'additions.undone', userId })
      return { removed }
    },
  )
}) satisfies FastifyPluginAsyncZod
