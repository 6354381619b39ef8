import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { createAccountDeletion } from '../../../../accounts/delete-account.ts'
import { createReauthentication } from '../../../../accounts/reauthenticate.ts'
import { ApiError } from '../../../../errors/api-error.ts'
import { logEvent } from '../../../../events.ts'
import { unusablePassword } from '../../../../passwords/verify-hash.ts'
import { givenPassword } from '../../../../schemas/password.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'
import { bearerProblems } from '../../../../schemas/token.ts'

export default (async (app) => {
  const { accounts, config, now } = app
  // Nothing brings an account back: a stolen token or an unlocked browser must not be enough to delete it.
  const reauthenticate = createReauthentication({ ...accounts, now })
  const deleteAccount = createAccountDeletion(app)

  app.delete(
    '/me',
    {
      // A thief of a token could try a password from many addresses: the count of failed logins spares users with a session.
      onRequest: [app.requireUser, app.userLimit('account deletion', 10)],
      schema: {
        tags: ['users'],
        operationId: 'deleteAccount',
        summary: 'Delete the account of the current user',
        description:
          'Cannot be undone. Only a keyed hash of the username stays, so that no one can register it again. A user without a password must have logged in less than 10 minutes ago.',
        security: [{ bearer: [] }],
        // Without a body, Fastify validates null.
        body: z.strictObject({ current_password: givenPassword(config.credentials).optional() }).nullish(),
        response: {
          204: z.undefined().meta({ description: 'The account is deleted' }),
          ...problemResponses(
            ...bodyProblems,
            ...bearerProblems,
            'reauthentication_required',
            'wrong_current_password',
            'email_change_can_be_undone',
            'too_many_requests',
          ),
        },
      },
    },
    async (request, reply) => {
      const { body, caller, ip } = request
      const password = body?.current_password
      const hasPassword = caller.user.hashedPassword !== unusablePassword
      if (hasPassword && password === undefined) throw new ApiError('reauthentication_required')
      await reauthenticate(caller, password, ip)
      await deleteAccount(caller)
      logEvent(request, { event: 'user.deleted' })
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
