import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { message } from '../../../../schemas/email-token.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'
import { email } from '../../../../schemas/user.ts'

const answer = 'If the address belongs to an unverified user, a verification email is on its way' as const

export default (async (app) => {
  const { emailVerification, requestMail } = app.accounts

  app.post(
    '/resend-verification',
    {
      schema: {
        tags: ['auth'],
        summary: 'Mail a new verification',
        body: z.strictObject({ email }),
        response: {
          202: message(answer),
          ...problemResponses(...bodyProblems),
        },
      },
    },
    async (request, reply) => {
      await requestMail('verification', request.body.email, async (tx, user) => {
        if (!user.isVerified) await emailVerification.queueMail(tx, user)
      })
      request.log.info({ event: 'verification.requested' }, 'verification requested')
      return reply.code(202).send({ message: answer })
    },
  )
}) satisfies FastifyPluginAsyncZod
