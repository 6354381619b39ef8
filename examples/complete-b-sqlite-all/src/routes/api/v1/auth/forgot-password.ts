import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../events.ts'
import { message } from '../../../../schemas/email-token.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'
import { email } from '../../../../schemas/user.ts'

const answer = 'If the address belongs to a user, a password reset email is on its way' as const

export default (async (app) => {
  const { mailRequestLimit, mailRequests } = app.accounts

  app.post(
    '/forgot-password',
    {
      onRequest: app.limitRequests,
      schema: {
        tags: ['auth'],
        operationId: 'forgotPassword',
        summary: 'Mail a password reset',
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
      await mailRequests.add('reset', request.body.email)
      logEvent(request, { event: 'password_reset.requested' })
      return reply.code(202).send({ message: answer })
    },
  )
}) satisfies FastifyPluginAsyncZod
