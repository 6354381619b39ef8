import { eq } from 'drizzle-orm'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { endSessions, sessions } from '../../../../accounts/session-store.ts'
import { lockUser } from '../../../../accounts/users.ts'
import { problemResponses } from '../../../../schemas/problem.ts'
import { text } from '../../../../schemas/text.ts'

export default (async (app) => {
  const { accounts, db } = app

  app.post(
    '/logout',
    {
      schema: {
        tags: ['auth'],
        summary: 'End the session of a refresh token, or the current one',
        description:
          'Send the refresh token in the body, or the access token as bearer. Repeating it changes nothing.',
        security: [{ bearer: [] }, {}],
        // Fastify shows a request without a body to the schema as null.
        body: z.strictObject({ refresh_token: text().optional() }).nullish(),
        response: {
          204: z.undefined().meta({ description: 'The session is over' }),
          ...problemResponses(
            'bad_request',
            'not_authenticated',
            'token_expired',
            'invalid_token',
            'payload_too_large',
            'unsupported_media_type',
            'validation_failed',
            'unavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      const token = request.body?.refresh_token
      if (token === undefined) await app.requireUser.call(app, request, reply)
      const sessionId = token === undefined ? request.caller.sessionId : accounts.sessions.sessionOf(token)
      if (sessionId !== undefined) {
        const userId = await db.transaction(async (tx) => {
          const which = eq(sessions.id, sessionId)
          const [session] = await tx.select({ userId: sessions.userId }).from(sessions).where(which)
          if (session) await lockUser(tx, session.userId)
          await endSessions(tx, which)
          return session?.userId
        })
        request.log.info({ event: 'session.ended', userId, sessionId }, 'logged out')
      }
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
