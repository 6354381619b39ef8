import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { changePassword } from '../../../../accounts/change-password.ts'
import { limitUser } from '../../../../limits/attempts.ts'
import { normalizePassword } from '../../../../passwords/rules.ts'
import { logEvent } from '../../../../problem.ts'
import { givenPassword, newPassword, tokenResponse } from '../../../../schemas/user.ts'

export default (async (app) => {
  const { config, ctx } = app

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
        operationId: 'changePassword',
        summary: 'Change the password',
        description: 'Ends all sessions of the user and starts a new one.',
        body,
        response: { 200: tokenResponse },
        problems: ['wrong_current_password', 'weak_password', 'too_many_requests'],
      },
    },
    async (request) => {
      const { caller, ip: address, headers, body } = request
      // Each change costs two hashes and an email.
      await limitUser(ctx, caller.user.id, 'password change', config.rateLimits.passwordChanges)
      const client = { address, userAgent: headers['user-agent'] }
      const passwords = { currentPassword: body.current_password, newPassword: body.new_password }
      const tokens = await changePassword(ctx, caller, passwords, client)
      logEvent(request, { event: 'password.changed' })
      return tokens
    },
  )
}) satisfies FastifyPluginAsyncZod
