import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { emailToken } from '../../../../schemas/email-token.ts'
import { message } from '../../../../schemas/message.ts'
import { problemResponses } from '../../../../schemas/problem.ts'

export default (async (app) => {
  const { accounts } = app

  app.post(
    '/verify-email',
    {
      schema: {
        tags: ['auth'],
        summary: 'Confirm an email address with the token that was mailed to it',
        body: z.strictObject({ token: emailToken }),
        response: {
          200: message('Email verified'),
          ...problemResponses(
            'bad_request',
            'invalid_or_expired_token',
            'payload_too_large',
            'unsupported_media_type',
            'validation_failed',
            'too_many_requests',
            'unavailable',
          ),
        },
      },
    },
    async (request) => {
      // Counted as a failure until it is none: nobody can try many codes at once.
      const giveBack = await accounts.tokenFailures.take(request.ip)
      const user = await accounts.emailOwnership.verify(request.body.token)
      await giveBack()
      request.log.info({ event: 'email.verified', userId: user.id }, 'email verified')
      return { message: 'Email verified' as const }
    },
  )
}) satisfies FastifyPluginAsyncZod
