import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../events.ts'
import { message } from '../../../../schemas/email-token.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'
import { email } from '../../../../schemas/user.ts'

const answer = 'If the address belongs to an unverified user, a verification email is on its way' as const

export default (async (app) => {
  const { mailRequestLimit, mailRequests } = app.accounts

  app.post(
    '/resend-verification',
    {
      onRequest: app.limitRequests,
      schema: {
        tags: ['auth'],
        operationId: 'resendVerification',
        summary: 'Mail a new verification',
        description: 'The response is the same for every address.',
        body: z.strictObject({ email }),
        response: {
          202: message(answer),
          ...problemResponses(...bodyProblems, 'too_many_requests'),
        },
      },
    },
    async (request, reply) => {
      await mailRequestLimit.take(request.ip)
      await mailRequests.add('verification', request.body.email)
      logEvent(request, { event: 'verification.requested' })
      return reply.code(202).send({ message: answer })
    },
  )
}) satisfies FastifyPluginAsyncZod
