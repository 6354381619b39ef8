import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { requestEmail } from '../../../../accounts/request-email.ts'
import { logEvent } from '../../../../problem.ts'
import { message } from '../../../../schemas/text.ts'
import { email } from '../../../../schemas/user.ts'

export default (async (app) => {
  const { config, ctx } = app
  const limit = app.addressLimit('email', config.rateLimits.mailRequests)
  const requests = [
    {
      path: '/forgot-password',
      operationId: 'forgotPassword',
      summary: 'Email a password reset',
      kind: 'reset',
      event: 'password_reset.requested',
      answer: 'If the address belongs to a user, a password reset email is on its way',
    },
    {
      path: '/resend-verification',
      operationId: 'resendVerification',
      summary: 'Email a new verification',
      kind: 'verification',
      event: 'verification.requested',
      answer: 'If the address belongs to an unverified user, a verification email is on its way',
    },
  ] as const

  for (const { path, operationId, summary, kind, event, answer } of requests)
    app.post(
      path,
      {
        onRequest: app.limitRequests,
        schema: {
          operationId,
          summary,
          description: 'The response is the same for every address.',
          body: z.strictObject({ email }),
          response: { 202: message(answer) },
        },
      },
      async (request, reply) => {
        await limit.take(request.ip)
        await requestEmail(ctx, kind, request.body.email)
        logEvent(request, { event })
        return reply.code(202).send({ message: answer })
      },
    )
}) satisfies FastifyPluginAsyncZod
