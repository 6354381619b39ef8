import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { undoEmailChange } from '../../../../accounts/restore-email.ts'
import { logEvent } from '../../../../problem.ts'
import { emailToken, message } from '../../../../schemas/text.ts'

const answer = 'Email change undone' as const

export default (async (app) => {
  const { config, ctx } = app
  const failures = app.addressLimit('token', config.rateLimits.tokenFailures)

  app.post(
    '/undo-email-change',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'undoEmailChange',
        summary: 'Restore an email address with the token in the notice of its change',
        description: 'Ends all sessions of the user. Works for 7 days after the change.',
        body: z.strictObject({ token: emailToken }),
        response: { 200: message(answer) },
        problems: ['invalid_or_expired_token'],
      },
    },
    async (request) => {
      // Counted as a failure until it succeeds, so that concurrent guesses cannot exceed the limit.
      const giveBack = await failures.take(request.ip)
      const user = await undoEmailChange(ctx, request.body.token)
      await giveBack()
      logEvent(request, { event: 'user.email_change_undone', userId: user.id })
      return { message: answer }
    },
  )
}) satisfies FastifyPluginAsyncZod
