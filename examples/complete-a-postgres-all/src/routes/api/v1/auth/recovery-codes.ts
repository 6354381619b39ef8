import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../problem.ts'
import { codeFields, proofOf, recoveryCodesResponse } from '../../../../schemas/proof.ts'
import { renewRecoveryCodes } from '../../../../totp/authenticator.ts'

export default (async (app) => {
  const { ctx } = app

  app.post(
    '/recovery-codes',
    {
      onRequest: [app.requireUser, app.requireRecentLogin],
      schema: {
        operationId: 'renewRecoveryCodes',
        summary: 'Replace the recovery codes',
        description: 'Each works once instead of a code of the second factor. The old ones are void.',
        body: z.strictObject(codeFields).nullish(),
        response: { 200: recoveryCodesResponse },
        problems: ['invalid_code', 'too_many_requests'],
      },
    },
    async (request) => {
      const codes = await renewRecoveryCodes(ctx, request.caller, proofOf(request))
      logEvent(request, { event: 'recovery_codes.created' })
      return { recovery_codes: codes }
    },
  )
}) satisfies FastifyPluginAsyncZod
