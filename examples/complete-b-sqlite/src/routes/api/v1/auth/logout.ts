import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { bearerProblems } from '../../../../plugins/guards.ts'
import { logEvent } from '../../../../problem.ts'
import { submittedToken } from '../../../../schemas/text.ts'
import { endDevices, endSession, sessionOf } from '../../../../sessions/devices.ts'

export default (async (app) => {
  const { ctx } = app

  app.post(
    '/logout',
    {
      config: { unverifiedUsers: true },
      onRequest: app.limitRequests,
      schema: {
        operationId: 'logout',
        summary: 'End the session of a refresh token, or the current one',
        description: 'Send the refresh token in the body, or the access token as bearer. Can be repeated.',
        security: [{ bearer: [] }, {}],
        // Without a body, Fastify validates null.
        body: z.strictObject({ refresh_token: submittedToken.optional() }).nullish(),
        response: { 204: z.undefined().meta({ description: 'The session has ended' }) },
        problems: [...bearerProblems],
      },
    },
    async (request, reply) => {
      const token = request.body?.refresh_token
      if (token === undefined) await app.requireUser.call(app, request, reply)
      const sessionId = token === undefined ? request.caller.sessionId : sessionOf(ctx, token)
      if (sessionId !== undefined) {
        const userId = await endSession(ctx, sessionId)
        if (userId !== undefined) logEvent(request, { event: 'session.ended', userId, sessionId })
      }
      return reply.code(204).send()
    },
  )

  app.post(
    '/logout-all',
    {
      config: { unverifiedUsers: true },
      onRequest: app.requireUser,
      schema: {
        operationId: 'logoutAll',
        summary: 'End all sessions of the current user, including this one',
        description: 'All their tokens are revoked immediately.',
        response: { 204: z.undefined().meta({ description: 'All sessions have ended' }) },
      },
    },
    async (request, reply) => {
      await endDevices(ctx, request.caller)
      logEvent(request, { event: 'sessions.ended' })
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
