import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../../../errors.ts'
import { givenPassword } from '../../../../schemas/password.ts'
import { problemResponses } from '../../../../schemas/problem.ts'
import { email, toUserResponse, userResponse } from '../../../../schemas/user.ts'

/** How long after the login the email may be changed without the password. */
const freshLoginMs = 10 * 60_000

export default (async (app) => {
  const { accounts, now } = app

  app.get(
    '/me',
    {
      onRequest: app.requireUser,
      schema: {
        tags: ['users'],
        summary: 'The current user',
        security: [{ bearer: [] }],
        response: {
          200: userResponse,
          ...problemResponses('not_authenticated', 'token_expired', 'invalid_token', 'unavailable'),
        },
      },
    },
    async (request) => toUserResponse(request.user),
  )

  app.put(
    '/me',
    {
      onRequest: app.requireUser,
      schema: {
        tags: ['users'],
        summary: 'Change the email address',
        description: 'Within 10 minutes of the login; later current_password is needed too.',
        security: [{ bearer: [] }],
        body: z.strictObject({ email, current_password: givenPassword.optional() }),
        response: {
          200: userResponse,
          ...problemResponses(
            'bad_request',
            'not_authenticated',
            'token_expired',
            'invalid_token',
            'reauthentication_required',
            'wrong_current_password',
            'already_registered',
            'payload_too_large',
            'unsupported_media_type',
            'validation_failed',
            'too_many_requests',
            'unavailable',
          ),
        },
      },
    },
    async (request) => {
      const { caller } = request
      const { user } = caller
      const { email, current_password: password } = request.body
      if (email === user.email) return toUserResponse(user)

      // The email is the way back into an account: whoever finds a session open, or steals a token, must not take it over.
      if (password !== undefined) {
        const verified = await accounts.checkPassword({
          user,
          login: user.username,
          password,
          address: request.ip,
        })
        if (!verified) throw new ApiError('wrong_current_password')
      } else if (now() - caller.authenticatedAt > freshLoginMs) {
        throw new ApiError('reauthentication_required')
      }

      const updated = await accounts.changeEmail(caller, email)
      request.log.info({ event: 'user.email_changed', userId: user.id }, 'email changed')
      return toUserResponse(updated)
    },
  )
}) satisfies FastifyPluginAsyncZod
