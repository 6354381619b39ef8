import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { lockCaller } from '../../../../accounts/access.ts'
import { deviceOf } from '../../../../accounts/devices.ts'
import { replacePassword } from '../../../../accounts/password-change.ts'
import { ApiError } from '../../../../errors.ts'
import { givenPassword, newPassword } from '../../../../schemas/password.ts'
import { problemResponses } from '../../../../schemas/problem.ts'
import { tokenResponse } from '../../../../schemas/token.ts'

export default (async (app) => {
  const { accounts, config, db, mail, now } = app

  const body = z
    .strictObject({ current_password: givenPassword, new_password: newPassword(config.credentials) })
    .refine((change) => change.current_password.normalize('NFC') !== change.new_password.normalize('NFC'), {
      error: 'New password must differ from the current password',
      params: { code: 'password_unchanged' },
      path: ['new_password'],
    })

  app.post(
    '/change-password',
    {
      onRequest: app.requireUser,
      schema: {
        tags: ['auth'],
        summary: 'Change the password',
        description: 'Ends all sessions of the user and starts a new one.',
        security: [{ bearer: [] }],
        body,
        response: {
          200: tokenResponse,
          ...problemResponses(
            'bad_request',
            'not_authenticated',
            'token_expired',
            'invalid_token',
            'wrong_current_password',
            'payload_too_large',
            'unsupported_media_type',
            'validation_failed',
            'weak_password',
            'too_many_requests',
            'unavailable',
          ),
        },
      },
    },
    async (request) => {
      const { caller, ip: address } = request
      const { user } = caller
      const { current_password: password, new_password: newPassword } = request.body
      // A session left open on a borrowed machine must not be enough to take the account over.
      const verified = await accounts.checkPassword({ user, login: user.username, password, address })
      if (!verified) throw new ApiError('wrong_current_password')

      const hashedPassword = await accounts.credentials.hash(newPassword)
      const tokens = await db.transaction(async (tx) => {
        const current = await lockCaller(tx, caller, now())
        // Of two changes at once the second did not know the password that the first one set.
        if (current.hashedPassword !== verified.hashedPassword) throw new ApiError('wrong_current_password')
        const device = await deviceOf(tx, caller.sessionId)
        const changed = await replacePassword(tx, { outbox: mail.outbox, now }, current, hashedPassword)
        return accounts.access.grantTo({ ...device, address, userAgent: request.headers['user-agent'] })(
          tx,
          changed,
        )
      })
      request.log.info({ event: 'password.changed', userId: user.id }, 'password changed')
      return tokens
    },
  )
}) satisfies FastifyPluginAsyncZod
