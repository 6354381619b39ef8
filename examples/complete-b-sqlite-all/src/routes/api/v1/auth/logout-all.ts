import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../events.ts'
import { problemResponses } from '../../../../schemas/problem.ts'
import { bearerProblems } from '../../../../schemas/token.ts'
import { endAllSessions } from '../../../../sessions/logout.ts'

export default (async (app) => {
  const { db } = app

  app.post(
    '/logout-all',
    {
      config: { unverifiedUsers: true },
      onRequest: app.requireUser,
      schema: {
        tags: ['auth'],
        operationId: 'logoutAll',
        summary: 'End all sessions of the current user, including this one',
        description: 'All their tokens are revoked immediately.',
        security: [{ bearer: [] }],
        response: {
          204: z.undefined().meta({ description: 'All sessions have ended' }),
          ...problemResponses(...bearerProblems),
        },
      },
    },
    async (request, reply) => {
      const { user } = request
      await endAllSessions(db, user.id)
      logEvent(request, { event: 'sessions.ended' })
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
