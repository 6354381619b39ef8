import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../../../errors/api-error.ts'
import { bearerProblems } from '../../../../plugins/guards.ts'

/** plugins/cookies.ts answers whoever has a cookie. Access tokens of profile A have no logout: 204 would be a lie. */
export default (async (app) => {
  app.post(
    '/logout',
    {
      config: { unverifiedUsers: true },
      onRequest: app.limitRequests,
      schema: {
        operationId: 'logout',
        summary: 'End the session of the cookie, and clear it',
        description: 'Can be repeated.',
        response: { 204: z.undefined().meta({ description: 'The session has ended' }) },
        problems: [...bearerProblems, 'not_found'],
      },
    },
    async (request, reply) => {
      await app.requireUser.call(app, request, reply)
      throw new ApiError('not_found')
    },
  )
}) satisfies FastifyPluginAsyncZod
