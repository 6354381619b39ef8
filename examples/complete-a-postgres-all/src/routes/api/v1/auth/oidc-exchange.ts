import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { exchangeCode } from '../../../../oidc/exchange.ts'
import { logEvent } from '../../../../problem.ts'
import { submittedToken } from '../../../../schemas/text.ts'
import { tokenResponse } from '../../../../schemas/user.ts'

export default (async (app) => {
  const { config, ctx } = app
  const failures = app.addressLimit('token', config.rateLimits.tokenFailures)

  app.post(
    '/oidc/exchange',
    {
      config: { unverifiedUsers: true },
      onRequest: [app.limitRequests, app.loadUser],
      schema: {
        operationId: 'exchangeSignIn',
        summary: 'Exchange the code of a sign-in for tokens, or add the account that it is for',
        description:
          'A code works once, for 60 seconds, with the verifier of its front end. One that adds an account to a user needs the access token of the session that asked, and answers 204.',
        security: [{}, { bearer: [] }],
        body: z.strictObject({ code: submittedToken, code_verifier: submittedToken }),
        response: {
          200: tokenResponse,
          204: z.undefined().meta({ description: 'The account at the provider is added' }),
        },
        problems: [
          'invalid_or_expired_token',
          'invalid_credentials',
          'not_authenticated',
          'invalid_token',
          'already_linked',
        ],
      },
    },
    async (request, reply) => {
      const { body, optionalCaller } = request
      // Counted as a failure until the code is right, so that concurrent guesses cannot exceed the limit.
      const giveBack = await failures.take(request.ip)
      const outcome = await exchangeCode(ctx, optionalCaller, body.code, body.code_verifier)
      await giveBack()
      const { userId, tokens, refused } = outcome
      if (refused) throw refused
      logEvent(request, { event: tokens ? 'login.succeeded' : 'identity.added', userId })
      return tokens ?? reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
