import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { message } from '../../../../schemas/email-token.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'
import { email } from '../../../../schemas/user.ts'

const answer = 'If the address belongs to a user, a password reset email is on its way' as const

export default (async (app) => {
  const { passwordReset, requestMail } = app.accounts

  app.post(
    '/forgot-password',
    {
      schema: {
        tags: ['auth'],
        summary: 'Mail a password reset',
        body: z.strictObject({ email }),
        response: {
          202: message(answer),
          ...problemResponses(...bodyProblems),
        },
      },
    },
    async (request, reply) => {
      await requestMail('reset', request.body.email, passwordReset.queueMail)
      request.log.info({ event: 'password_reset.requested' }, 'password reset requested')
      return reply.code(202).send({ message: answer })
    },
  )
}) satisfies FastifyPluginAsyncZod
