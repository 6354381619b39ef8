import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { createPasswordChange } from '../../../../accounts/change-password.ts'
import { logEvent } from '../../../../events.ts'
import { createUserLimit } from '../../../../limits/attempts.ts'
import { normalizePassword } from '../../../../passwords/rule.ts'
import { givenPassword, newPassword, newPasswordProblems } from '../../../../schemas/password.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'
import { bearerProblems, tokenResponse } from '../../../../schemas/token.ts'

export default (async (app) => {
  const { accounts, config, db, mail } = app
  // Each change costs two hashes and a mail.
  const countChange = createUserLimit(app, 'password change', config.rateLimits.passwordChanges)
  const changePassword = createPasswordChange({ ...accounts, db, outbox: mail.outbox })

  const body = z
    .strictObject({
      current_password: givenPassword(config.credentials),
      new_password: newPassword(config.credentials),
    })
    .refine(
      (change) => normalizePassword(change.current_password) !== normalizePassword(change.new_password),
      {
        error: 'New password must differ from the current password',
        params: { code: 'password_unchanged' },
        path: ['new_password'],
      },
    )

  app.post(
    '/change-password',
    {
      onRequest: app.requireUser,
      schema: {
        tags: ['auth'],
        operationId: 'changePassword',
        summary: 'Change the password',
        description: 'Ends all sessions of the user and starts a new one.',
        security: [{ bearer: [] }],
        body,
        response: {
          200: tokenResponse,
          ...problemResponses(
            ...bodyProblems,
            ...bearerProblems,
            'wrong_current_password',
            ...newPasswordProblems,
            'too_many_requests',
          ),
        },
      },
    },
    async (request) => {
      const { caller, ip: ipAddress, headers, body } = request
      await countChange(caller.user.id)
      const client = { ipAddress, userAgent: headers['user-agent'] }
      const passwords = { currentPassword: body.current_password, newPassword: body.new_password }
      const tokens = await changePassword(caller, client, passwords)
      logEvent(request, { event: 'password.changed' })
      return tokens
    },
  )
}) satisfies FastifyPluginAsyncZod
