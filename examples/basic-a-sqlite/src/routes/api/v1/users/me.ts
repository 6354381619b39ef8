import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { changeEmail } from '../../../../accounts/change-email.ts'
import { reauthenticate } from '../../../../accounts/reauthenticate.ts'
import { limitUser } from '../../../../limits/attempts.ts'
import { logEvent } from '../../../../problem.ts'
import { email, givenPassword, toUserResponse, userResponse } from '../../../../schemas/user.ts'

export default (async (app) => {
  const { config, ctx } = app

  app.get(
    '/me',
    {
      // HEAD is documented too: it answers like GET, without a body.
      config: { swagger: { exposeHeadRoute: true } },
      onRequest: app.requireUser,
      schema: {
        operationId: 'getCurrentUser',
        summary: 'The current user',
        description: 'The user that the access token belongs to.',
        response: { 200: userResponse },
      },
    },
    async (request) => toUserResponse(request.user),
  )

  app.put(
    '/me',
    {
      onRequest: app.requireUser,
      schema: {
        operationId: 'changeEmail',
        summary: 'Change the email address',
        description: 'Later than 10 minutes after the login, current_password is required.',
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
      if (email === user.email) return toUserResponse(user)

      // A 409 reveals that an address is registered.
      await limitUser(ctx, user.id, 'email change', config.rateLimits.emailChanges)
      // Users log in with it: a stolen token or an unlocked browser must not be enough to change it.
      await reauthenticate(ctx, caller, password, { address: request.ip })
      const updated = await changeEmail(ctx, caller, email)
      logEvent(request, { event: 'user.email_changed' })
      return toUserResponse(updated)
    },
  )
}) satisfies FastifyPluginAsyncZod
