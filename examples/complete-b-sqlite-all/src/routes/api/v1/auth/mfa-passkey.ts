import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { optionsForLogin, optionsForSession } from '../../../../passkeys/prove.ts'
import { bearerProblems } from '../../../../plugins/guards.ts'
import { optionsResponse } from '../../../../schemas/proof.ts'
import { submittedToken } from '../../../../schemas/text.ts'

export default (async (app) => {
  const { ctx } = app

  app.post(
    '/mfa/passkey/options',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'createMfaPasskeyOptions',
        summary: 'The options of a passkey instead of a code, for `navigator.credentials.get`',
        description:
          'With an `mfa_token`, for `POST /api/v1/auth/mfa`. With an access token, for what takes a `code` in that session.',
        body: z.strictObject({ mfa_token: submittedToken.optional() }).nullish(),
        response: { 200: optionsResponse },
        problems: ['invalid_mfa_token', ...bearerProblems],
      },
    },
    async (request, reply) => {
      const token = request.body?.mfa_token
      if (token !== undefined) return { options: { ...(await optionsForLogin(ctx, token)) } }
      await app.requireUser.call(app, request, reply)
      return { options: { ...(await optionsForSession(ctx, request.caller)) } }
    },
  )
}) satisfies FastifyPluginAsyncZod
