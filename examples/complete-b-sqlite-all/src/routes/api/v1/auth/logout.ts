import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logEvent } from '../../../../events.ts'
import { submittedToken } from '../../../../schemas/email-token.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'
import { bearerProblems } from '../../../../schemas/token.ts'
import { createSessionFinder, endSession } from '../../../../sessions/logout.ts'

export default (async (app) => {
  const { config, db } = app
  const sessionOf = createSessionFinder(config.accessTokens)

  app.post(
    '/logout',
    {
      config: { unverifiedUsers: true },
      onRequest: app.limitRequests,
      schema: {
        tags: ['auth'],
        operationId: 'logout',
        summary: 'End the session of a refresh token, or the current one',
        description: 'Send the refresh token in the body, or the access token as bearer. Can be repeated.',
        security: [{ bearer: [] }, {}],
        // Without a body, Fastify validates null.
        body: z.strictObject({ refresh_token: submittedToken.optional() }).nullish(),
        response: {
          204: z.undefined().meta({ description: 'The session has ended' }),
          ...problemResponses(...bodyProblems, ...bearerProblems, 'too_many_requests'),
        },
      },
    },
    async (request, reply) => {
      const token = request.body?.refresh_token
      if (token === undefined) await app.requireUser.call(app, request, reply)
      const sessionId = token === undefined ? request.caller.sessionId : sessionOf(token)
      if (sessionId !== undefined) {
        const userId = await endSession(db, sessionId)
        if (userId !== undefined) logEvent(request, { event: 'session.ended', userId, sessionId })
      }
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
