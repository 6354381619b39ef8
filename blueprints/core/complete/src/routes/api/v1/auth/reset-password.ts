import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { resetPassword } from '../../../../accounts/reset-password.ts'
import { logEvent } from '../../../../problem.ts'
import { emailToken, message } from '../../../../schemas/text.ts'
import { newPassword } from '../../../../schemas/user.ts'

const answer = 'Password has been reset' as const

export default (async (app) => {
  const { config, ctx } = app
  const failures = app.addressLimit('token', config.rateLimits.tokenFailures)

  app.post(
    '/reset-password',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'resetPassword',
        summary: 'Set a new password with the token that was emailed',
        description:
          'Ends all sessions of the user. A password that breaks the rules does not consume the token.',
        body: z.strictObject({ token: emailToken, new_password: newPassword(config.credentials) }),
        response: { 200: message(answer) },
        problems: ['invalid_or_expired_token', 'weak_password'],
      },
    },
    async (request) => {
      // Counted as a failure until it succeeds, so that concurrent guesses cannot exceed the limit.
      const giveBack = await failures.take(request.ip)
      const { token, new_password: password } = request.body
      const user = await resetPassword(ctx, token, password, request.ip)
      await giveBack()
      logEvent(request, { event: 'password.reset', userId: user.id })
      return { message: answer }
    },
  )
}) satisfies FastifyPluginAsyncZod
