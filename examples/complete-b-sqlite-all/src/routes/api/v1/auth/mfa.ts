import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../problem.ts'
import { givenProof, proofFields } from '../../../../schemas/proof.ts'
import { submittedToken } from '../../../../schemas/text.ts'
import { tokenResponse } from '../../../../schemas/user.ts'
import { countRecoveryCodes, factorsOf } from '../../../../sign-in/factors.ts'
import { completeMfa } from '../../../../sign-in/pending-logins.ts'

export default (async (app) => {
  const { ctx } = app

  app.get(
    '/mfa',
    {
      onRequest: app.requireUser,
      schema: {
        operationId: 'getMfa',
        summary: 'The second factors of the current user',
        description:
          'Whether an authenticator app is on, and how many passkeys and recovery codes there are.',
        response: {
          200: z.object({ totp: z.boolean(), passkeys: z.int(), recovery_codes_left: z.int() }),
        },
      },
    },
    async ({ user: { id } }) => {
      const { read } = ctx.db
      const owned = await factorsOf(read, id)
      const states = owned.map(({ factor, count }) => factor.state(count))
      const recovery_codes_left = await countRecoveryCodes(read, id)
      return Object.assign({ totp: false, passkeys: 0, recovery_codes_left }, ...states)
    },
  )

  app.post(
    '/mfa',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'completeMfa',
        summary: 'Finish a login with a code of the second factor',
        description:
          'After 401 `mfa_required`, with the `mfa_token` in its body. Send either the code or a recovery code. Five wrong codes make the token void.',
        body: z.strictObject({ mfa_token: submittedToken, ...proofFields }),
        response: { 200: tokenResponse },
        problems: ['invalid_mfa_token', 'wrong_mfa_code', 'user_not_verified', 'too_many_requests'],
      },
    },
    async (request) => {
      const { mfa_token: token, ...given } = request.body
      const { userId, tokens } = await completeMfa(ctx, token, givenProof(given, request.ip))
      logEvent(request, { event: 'login.succeeded', userId })
      return tokens
    },
  )
}) satisfies FastifyPluginAsyncZod
