import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { deleteAccount } from '../../../../accounts/delete-account.ts'
import { confirmPassword } from '../../../../accounts/reauthenticate.ts'
import { ApiError } from '../../../../errors/api-error.ts'
import { unusablePassword } from '../../../../passwords/hashes.ts'
import { logEvent } from '../../../../problem.ts'
import { givenPassword } from '../../../../schemas/user.ts'

export default (async (app) => {
  const { config, ctx } = app

  app.delete(
    '/me',
    {
      // A thief of a token could try a password from many addresses: the count of failed logins spares users with a session.
      onRequest: [app.requireUser, app.userLimit('account deletion', 10)],
      schema: {
        operationId: 'deleteAccount',
        summary: 'Delete the account of the current user',
        description:
          'Cannot be undone. Only a keyed hash of the username stays, so that no one can register it again. A user without a password sets one first.',
        // Without a body, Fastify validates null.
        body: z.strictObject({ current_password: givenPassword(config.credentials).optional() }).nullish(),
        response: { 204: z.undefined().meta({ description: 'The account is deleted' }) },
        problems: ['reauthentication_required', 'wrong_current_password', 'email_change_can_be_undone'],
      },
    },
    async (request, reply) => {
      const { body, caller, ip: address } = request
      if (caller.user.hashedPassword === unusablePassword) throw new ApiError('wrong_current_password')
      // Nothing brings an account back: a fresh stolen token or an unlocked browser must not be enough to delete it.
      if (body?.current_password === undefined) throw new ApiError('reauthentication_required')
      await confirmPassword(ctx, caller, body.current_password, { address })
      await deleteAccount(ctx, caller)
      logEvent(request, { event: 'user.deleted' })
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
