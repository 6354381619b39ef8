import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { register } from '../../../../accounts/register.ts'
import { ApiError } from '../../../../errors/api-error.ts'
import { logEvent } from '../../../../problem.ts'
import { email, newPassword, toUserResponse, username, userResponse } from '../../../../schemas/user.ts'
import { madeUsername } from '../../../../users/names.ts'

export default (async (app) => {
  const { config, ctx } = app
  // Each registration costs a hash and a permanent row: limit how many one client can create.
  const limit = app.addressLimit('register', config.rateLimits.register)

  app.post(
    '/register',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'register',
        summary: 'Create a user',
        description: 'An email address and a username belong to one user each, without regard to case.',
        body: z.strictObject({
          email,
          username: config.accounts.usernameRequired ? username : username.optional(),
          password: newPassword(config.credentials),
        }),
        response: { 201: userResponse },
        problems: ['registration_closed', 'already_registered', 'weak_password'],
      },
    },
    async (request, reply) => {
      const { email, username = madeUsername(), password } = request.body
      if (!config.accounts.registrationEnabled) throw new ApiError('registration_closed')
      await limit.take(request.ip)
      const user = await register(ctx, { email, username }, password, request.ip)
      logEvent(request, { event: 'user.registered', userId: user.id })
      return reply.code(201).send(toUserResponse(user))
    },
  )
}) satisfies FastifyPluginAsyncZod
