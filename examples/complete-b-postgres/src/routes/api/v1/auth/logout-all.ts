import { eq } from 'drizzle-orm'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { endSessions, sessions } from '../../../../accounts/session-store.ts'
import { lockUser } from '../../../../accounts/users.ts'
import { problemResponses } from '../../../../schemas/problem.ts'

export default (async (app) => {
  const { db } = app

  app.post(
    '/logout-all',
    {
      onRequest: app.requireUser,
      schema: {
        tags: ['auth'],
        summary: 'End all sessions of the current user, this one too',
        security: [{ bearer: [] }],
        response: {
          204: z.undefined().meta({ description: 'All sessions are over' }),
          ...problemResponses('not_authenticated', 'token_expired', 'invalid_token', 'unavailable'),
        },
      },
    },
    async (request, reply) => {
      const { user } = request
      await db.transaction(async (tx) => {
        // A refresh or a login that is under way ends before, or starts after: none of them leaves a live token.
        await lockUser(tx, user.id)
        await endSessions(tx, eq(sessions.userId, user.id))
      })
      request.log.info({ event: 'sessions.ended', userId: user.id }, 'logged out everywhere')
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
