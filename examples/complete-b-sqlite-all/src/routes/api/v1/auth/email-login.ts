import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { requestEmail } from '../../../../accounts/request-email.ts'
import { kind, logInByEmail } from '../../../../email-login/log-in.ts'
import { logEvent } from '../../../../problem.ts'
import { emailToken, message } from '../../../../schemas/text.ts'
import { email, tokenResponse } from '../../../../schemas/user.ts'

const answer = 'If the address belongs to a user, an email with which they log in is on its way' as const

export default (async (app) => {
  const { config, ctx } = app
  const requests = app.addressLimit('email', config.rateLimits.mailRequests)
  const failures = app.addressLimit('token', config.rateLimits.tokenFailures)

  app.post(
    '/email-login',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'requestEmailLogin',
        summary: 'Email a link or code that logs in',
        description: 'The response is the same for every address.',
        body: z.strictObject({ email }),
        response: { 202: message(answer) },
      },
    },
    async (request, reply) => {
      await requests.take(request.ip)
      await requestEmail(ctx, kind, request.body.email)
      logEvent(request, { event: 'email_login.requested' })
      return reply.code(202).send({ message: answer })
    },
  )

  app.post(
    '/email-login/confirm',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'logInByEmail',
        summary: 'Log in with the token that was emailed',
        description: 'Verifies the address. The first proof of it removes all that let anyone in before.',
        body: z.strictObject({ token: emailToken }),
        response: { 200: tokenResponse },
        problems: ['invalid_or_expired_token'],
      },
    },
    async (request) => {
      // Counted as a failure until the token is right, so that concurrent guesses cannot exceed the limit.
      const giveBack = await failures.take(request.ip)
      const client = { address: request.ip, userAgent: request.headers['user-agent'] }
      const outcome = await logInByEmail(ctx, request.body.token, client)
      await giveBack()
      if ('refused' in outcome) throw outcome.refused
      logEvent(request, { event: 'login.succeeded', userId: outcome.userId })
      return outcome.tokens
    },
  )
}) satisfies FastifyPluginAsyncZod
