import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../problem.ts'
import { factorCode, proofFields, proofOf, recoveryCodesResponse } from '../../../../schemas/proof.ts'
import { emailToken } from '../../../../schemas/text.ts'
import { confirmTotp, disableTotp, setUpTotp } from '../../../../totp/authenticator.ts'

export default (async (app) => {
  const { ctx } = app
  const onRequest = [app.requireUser, app.requireRecentLogin]

  app.post(
    '/totp/setup',
    {
      onRequest,
      schema: {
        operationId: 'setUpTotp',
        summary: 'Create the secret of an authenticator app',
        description: 'Nothing is on until it is confirmed. Replaces a secret that was not confirmed.',
        response: {
          200: z.object({
            secret: z.string().meta({ examples: ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'] }),
            otpauth_url: z.string(),
            qr_svg: z.string(),
          }),
        },
        problems: ['totp_already_on', 'user_not_verified'],
      },
    },
    async (request) => {
      const created = await setUpTotp(ctx, request.caller)
      logEvent(request, { event: 'totp.set_up' })
      return created
    },
  )

  app.post(
    '/totp/confirm',
    {
      // The recent login is required when the code is emailed: typing it off may take longer.
      onRequest: app.requireUser,
      schema: {
        operationId: 'confirmTotp',
        summary: 'Turn the authenticator app on with a code of it',
        description:
          'Without `emailed_token`, 403 `emailed_token_required` emails one. Ends all other sessions. The recovery codes are shown once.',
        // Without a body, Fastify validates null.
        body: z.strictObject({ code: factorCode.optional(), emailed_token: emailToken.optional() }).nullish(),
        response: { 200: recoveryCodesResponse },
        problems: [
          'totp_already_on',
          'invalid_code',
          'user_not_verified',
          'emailed_token_required',
          'invalid_or_expired_token',
          'reauthentication_required',
          'too_many_requests',
        ],
      },
    },
    async (request) => {
      const { caller, ip } = request
      const { emailed_token: emailedToken, code } = request.body ?? {}
      const codes = await confirmTotp(ctx, caller, {
        ...proofOf({ body: { code }, caller, ip }),
        emailedToken,
      })
      logEvent(request, { event: 'totp.turned_on' })
      return { recovery_codes: codes }
    },
  )

  app.post(
    '/totp/disable',
    {
      onRequest,
      schema: {
        operationId: 'disableTotp',
        summary: 'Turn the authenticator app off with a code of it or a recovery code',
        description:
          'The recovery codes go with it. A session that began with a recovery code needs neither of them.',
        body: z.strictObject(proofFields).nullish(),
        response: { 204: z.undefined().meta({ description: 'The authenticator app is off' }) },
        problems: ['invalid_code', 'too_many_requests'],
      },
    },
    async (request, reply) => {
      await disableTotp(ctx, request.caller, proofOf(request))
      logEvent(request, { event: 'totp.turned_off' })
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
