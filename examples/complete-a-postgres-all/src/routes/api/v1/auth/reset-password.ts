import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../events.ts'
import { emailToken, message } from '../../../../schemas/email-token.ts'
import { newPassword, newPasswordProblems } from '../../../../schemas/password.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'

const answer = 'Password has been reset' as const

export default (async (app) => {
  const { accounts, config } = app

  app.post(
    '/reset-password',
    {
      onRequest: app.limitRequests,
      schema: {
        tags: ['auth'],
        operationId: 'resetPassword',
        summary: 'Set a new password with the token that was mailed',
        description:
          'Ends all sessions of the user. A password that breaks the rules does not consume the token.',
        body: z.strictObject({ token: emailToken, new_password: newPassword(config.credentials) }),
        response: {
          200: message(answer),
          ...problemResponses(
            ...bodyProblems,
            'invalid_or_expired_token',
            ...newPasswordProblems,
            'too_many_requests',
          ),
        },
      },
    },
    async (request) => {
      // Counted as a failure until it succeeds, so that concurrent guesses cannot exceed the limit.
      const giveBack = await accounts.tokenFailures.take(request.ip)
      const { token, new_password: password } = request.body
      const user = await accounts.passwordReset.reset(token, password, request.ip)
      await giveBack()
      logEvent(request, { event: 'password.reset', userId: user.id })
      return { message: answer }
    },
  )
}) satisfies FastifyPluginAsyncZod
