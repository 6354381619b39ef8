import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../events.ts'
import { emailToken, message } from '../../../../schemas/email-token.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'

const answer = 'Email change undone' as const

export default (async (app) => {
  const { accounts } = app

  app.post(
    '/undo-email-change',
    {
      onRequest: app.limitRequests,
      schema: {
        tags: ['auth'],
        operationId: 'undoEmailChange',
        summary: 'Restore an email address with the token in the notice of its change',
        description: 'Ends all sessions of the user. Works for 7 days after the change.',
        body: z.strictObject({ token: emailToken }),
        response: {
          200: message(answer),
          ...problemResponses(...bodyProblems, 'invalid_or_expired_token', 'too_many_requests'),
        },
      },
    },
    async (request) => {
      // Counted as a failure until it succeeds, so that concurrent guesses cannot exceed the limit.
      const giveBack = await accounts.tokenFailures.take(request.ip)
      const user = await accounts.undoEmailChange(request.body.token)
      await giveBack()
      logEvent(request, { event: 'user.email_change_undone', userId: user.id })
      return { message: answer }
    },
  )
}) satisfies FastifyPluginAsyncZod
