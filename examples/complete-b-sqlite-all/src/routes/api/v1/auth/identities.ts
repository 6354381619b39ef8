import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { identitiesOf, removeIdentity } from '../../../../oidc/link.ts'
import { logEvent } from '../../../../problem.ts'
import { urlNumber } from '../../../../schemas/text.ts'
import { confirmationFields, confirmationOf, confirmationProblems } from '../../../../schemas/ways-in.ts'

const listed = z.object({
  id: z.int(),
  provider: z.string(),
  email: z.string().nullable(),
  created_at: z.iso.datetime(),
})

/** Accounts at providers that log the current user in. */
export default (async (app) => {
  const { ctx } = app

  app.get(
    '/identities',
    {
      onRequest: app.requireUser,
      schema: {
        operationId: 'listIdentities',
        summary: 'The accounts at providers that log the current user in, newest first',
        description: 'Their addresses are those at the provider when they were added.',
        response: { 200: z.object({ identities: z.array(listed) }) },
      },
    },
    async ({ user }) => ({
      identities: (await identitiesOf(ctx, user.id)).map(({ id, provider, email, createdAt }) => ({
        ...{ id, provider, email },
        created_at: createdAt.toISOString(),
      })),
    }),
  )

  app.delete(
    '/identities/:id',
    {
      // The recent login is required when the emailed token is sent: typing it off may take longer.
      onRequest: app.requireUser,
      schema: {
        operationId: 'removeIdentity',
        summary: 'Remove an account at a provider',
        description: 'Takes a proof of the second factor or, without one, an emailed token.',
        params: z.strictObject({ id: urlNumber() }),
        body: z.strictObject(confirmationFields).nullish(),
        response: { 204: z.undefined().meta({ description: 'The account is removed' }) },
        problems: [...confirmationProblems, 'not_found', 'last_sign_in_method'],
      },
    },
    async (request, reply) => {
      const { body, caller, params } = request
      await removeIdentity(ctx, caller, params.id, confirmationOf(request, body ?? {}))
      logEvent(request, { event: 'identity.removed' })
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
