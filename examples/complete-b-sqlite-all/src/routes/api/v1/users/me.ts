import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { createReauthentication } from '../../../../accounts/reauthenticate.ts'
import { logEvent } from '../../../../events.ts'
import { createUserLimit } from '../../../../limits/attempts.ts'
import { toCurrentUser } from '../../../../schemas/current-user.ts'
import { givenPassword } from '../../../../schemas/password.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'
import { bearerProblems } from '../../../../schemas/token.ts'
import { email, toUserResponse, userResponse } from '../../../../schemas/user.ts'
import { pendingEmail } from '../../../../users/pending-email.ts'

export default (async (app) => {
  const { accounts, config, now } = app
  // A 409 reveals that an address is registered.
  const countChange = createUserLimit(app, 'email change', config.rateLimits.emailChanges)

  // Users log in with it: a stolen token or an unlocked browser must not be enough to change it.
  const reauthenticate = createReauthentication({ ...accounts, now })

  app.get(
    '/me',
    {
      config: { unverifiedUsers: true },
      onRequest: app.requireUser,
      schema: {
        tags: ['users'],
        operationId: 'getCurrentUser',
        summary: 'The current user',
        description: 'The user that the access token belongs to.',
        security: [{ bearer: [] }],
        response: {
          200: userResponse,
          ...problemResponses(...bearerProblems),
        },
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
        tags: ['users'],
        operationId: 'changeEmail',
        summary: 'Change the email address',
        description:
          'It changes when the token in the email to the new address is confirmed. The current address cancels a change. Later than 10 minutes after the login, current_password is required.',
        security: [{ bearer: [] }],
        body: z.strictObject({ email, current_password: givenPassword(config.credentials).optional() }),
        response: {
          200: userResponse,
          ...problemResponses(
            ...bodyProblems,
            ...bearerProblems,
            'reauthentication_required',
            'wrong_current_password',
            'already_registered',
            'too_many_requests',
          ),
        },
      },
    },
    async (request) => {
      const { caller } = request
      const { user } = caller
      const { email, current_password: password } = request.body
      if (email === user.email) {
        const kept =
          pendingEmail(user, now()) === undefined ? user : await accounts.cancelEmailChange(caller, email)
        if (kept !== user) logEvent(request, { event: 'user.email_change_cancelled' })
        return toUserResponse(kept)
      }
      await countChange(user.id)
      await reauthenticate(caller, password, request.ip)
      const updated = await accounts.changeEmail(caller, email)
      logEvent(request, { event: 'user.email_change_requested' })
      return toCurrentUser(updated, now())
    },
  )
}) satisfies FastifyPluginAsyncZod
