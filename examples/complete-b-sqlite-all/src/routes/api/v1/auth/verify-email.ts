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
      config: { unverifiedUsers: true },
      onRequest: [app.limitRequests, app.loadUser],
      schema: {
        tags: ['auth'],
        operationId: 'verifyEmail',
        summary: 'Confirm an email address with the token that was emailed to it',
        description:
          'A token works once. A new one replaces it. That of a change needs the access token of its user.',
        security: [{}, { bearer: [] }],
        body: z.strictObject({ token: emailToken }),
        response: {
          200: message(answer),
          ...problemResponses(
            ...bodyProblems,
            'invalid_or_expired_token',
            'not_authenticated',
            'too_many_requests',
          ),
        },
      },
    },
    async (request) => {
      // Counted as a failure until it succeeds, so that concurrent guesses cannot exceed the limit.
      const giveBack = await accounts.tokenFailures.take(request.ip)
      const { optionalCaller, body } = request
      const { before, after } = await accounts.emailVerification.verify(optionalCaller, body.token)
      await giveBack()
      const event = before.email === after.email ? 'email.verified' : 'user.email_changed'
      logEvent(request, { event, userId: after.id })
      return { message: answer }
    },
  )
}) satisfies FastifyPluginAsyncZod
