import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../events.ts'
import { emailToken, message } from '../../../../schemas/email-token.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'

const answer = 'Email verified' as const

export default (async (app) => {
  const { accounts } = app

  app.post(
    '/verify-email',
    {
      onRequest: app.limitRequests,
      schema: {
        tags: ['auth'],
        operationId: 'verifyEmail',
        summary: 'Confirm an email address with the token that was mailed to it',
        description: 'A token works once. A new one replaces it.',
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
      const user = await accounts.emailVerification.verify(request.body.token)
      await giveBack()
      logEvent(request, { event: 'email.verified', userId: user.id })
      return { message: answer }
    },
  )
}) satisfies FastifyPluginAsyncZod
