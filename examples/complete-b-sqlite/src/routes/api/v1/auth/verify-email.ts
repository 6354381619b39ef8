import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { verifyEmail } from '../../../../accounts/verify-email.ts'
import { logEvent } from '../../../../problem.ts'
import { emailToken, message } from '../../../../schemas/text.ts'

const answers = { verified: 'Email verified', undone: 'Email change undone' } as const

export default (async (app) => {
  const { config, ctx } = app
  const failures = app.addressLimit('token', config.rateLimits.tokenFailures)

  app.post(
    '/verify-email',
    {
      config: { unverifiedUsers: true },
      onRequest: [app.limitRequests, app.loadUser],
      schema: {
        operationId: 'verifyEmail',
        summary: 'Confirm an email address with the token that was emailed to it',
        description:
          'A token works once. A new one replaces it. That of a change needs the access token of its user.',
        security: [{}, { bearer: [] }],
        body: z.strictObject({ token: emailToken }),
        response: { 200: message(answers.verified, answers.undone) },
        problems: ['invalid_or_expired_token', 'not_authenticated'],
      },
    },
    async (request) => {
      // Counted as a failure until it succeeds, so that concurrent guesses cannot exceed the limit.
      const giveBack = await failures.take(request.ip)
      const { optionalCaller, body } = request
      const { before, after, isUndo } = await verifyEmail(ctx, optionalCaller, body.token)
      await giveBack()
      const changed = isUndo ? 'user.email_change_undone' : 'user.email_changed'
      const event = before.email === after.email ? 'email.verified' : changed
      logEvent(request, { event, userId: after.id })
      return { message: isUndo ? answers.undone : answers.verified }
    },
  )
}) satisfies FastifyPluginAsyncZod
