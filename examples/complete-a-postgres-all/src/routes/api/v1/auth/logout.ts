import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { bearerProblems } from '../../../../plugins/guards.ts'

/** Access tokens of profile A have no logout: plugins/cookies.ts answers whoever has a cookie. */
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
        problems: [...bearerProblems],
      },
    },
    async (request, reply) => {
      await app.requireUser.call(app, request, reply)
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
