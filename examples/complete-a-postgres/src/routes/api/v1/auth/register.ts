import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../../../errors/api-error.ts'
import { logEvent } from '../../../../events.ts'
import { newPassword, newPasswordProblems } from '../../../../schemas/password.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'
import { email, toUserResponse, username, userResponse } from '../../../../schemas/user.ts'

export default (async (app) => {
  const { accounts, config } = app
  // Each registration costs a hash and a permanent row: limit how many one client can create.
  const limit = app.addressLimit('register', config.rateLimits.register)

  app.post(
    '/register',
    {
      onRequest: app.limitRequests,
      schema: {
        tags: ['auth'],
        operationId: 'register',
        summary: 'Create a user',
        description: 'An email address and a username belong to one user each, without regard to case.',
        body: z.strictObject({ email, username, password: newPassword(config.credentials) }),
        response: {
          201: userResponse,
          ...problemResponses(
            ...bodyProblems,
            'registration_closed',
            'already_registered',
            ...newPasswordProblems,
            'too_many_requests',
          ),
        },
      },
    },
    async (request, reply) => {
      const { email, username, password } = request.body
      if (!config.accounts.registrationEnabled) throw new ApiError('registration_closed')
      await limit.take(request.ip)
      const user = await accounts.register({ email, username }, password, request.ip)
      logEvent(request, { event: 'user.registered', userId: user.id })
      return reply.code(201).send(toUserResponse(user))
    },
  )
}) satisfies FastifyPluginAsyncZod
