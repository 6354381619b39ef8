import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { changeEmail, keepEmail } from '../../../../accounts/change-email.ts'
import { reauthenticate } from '../../../../accounts/reauthenticate.ts'
import { limitUser } from '../../../../limits/attempts.ts'
import { logEvent } from '../../../../problem.ts'
import { email, givenPassword, toUserResponse, userResponse } from '../../../../schemas/user.ts'
import { pendingEmail } from '../../../../users/emails.ts'
import type { User } from '../../../../users/users.ts'

/** With `pending_email`, while a change of the address waits. Never for other users. */
const toCurrentUser = (user: User, now: number): z.output<typeof userResponse> => ({
  pending_email: pendingEmail(user, now),
  ...toUserResponse(user),
})

export default (async (app) => {
  const { config, ctx, now } = app

  app.get(
    '/me',
    {
      // HEAD is documented too: it answers like GET, without a body.
      config: { unverifiedUsers: true, swagger: { exposeHeadRoute: true } },
      onRequest: app.requireUser,
      schema: {
        operationId: 'getCurrentUser',
        summary: 'The current user',
        description: 'The user that the access token belongs to.',
        response: { 200: userResponse },
      },
    },
    async (request) => toCurrentUser(request.user, now()),
  )

  app.put(
    '/me',
    {
      config: { unverifiedUsers: true },
      onRequest: app.requireUser,
      schema: {
        operationId: 'changeEmail',
        summary: 'Change the email address',
        description:
          'It changes when the token in the email to the new address is confirmed. The current address cancels a change. Later than 10 minutes after the login, current_password is required.',
        body: z.strictObject({ email, current_password: givenPassword(config.credentials).optional() }),
        response: { 200: userResponse },
        problems: [
          'reauthentication_required',
          'wrong_current_password',
          'already_registered',
          'too_many_requests',
        ],
      },
    },
    async (request) => {
      const { caller } = request
      const { user } = caller
      const { email, current_password: password } = request.body
      if (email === user.email) {
        const kept = pendingEmail(user, now()) === undefined ? user : await keepEmail(ctx, caller, email)
        if (kept !== user) logEvent(request, { event: 'user.email_change_cancelled' })
        return toUserResponse(kept)
      }
      // A 409 reveals that an address is registered.
      await limitUser(ctx, user.id, 'email change', config.rateLimits.emailChanges)
      // Users log in with it: a stolen token or an unlocked browser must not be enough to change it.
      await reauthenticate(ctx, caller, password, { address: request.ip })
      const updated = await changeEmail(ctx, caller, email)
      logEvent(request, { event: 'user.email_change_requested' })
      return toCurrentUser(updated, now())
    },
  )
}) satisfies FastifyPluginAsyncZod
