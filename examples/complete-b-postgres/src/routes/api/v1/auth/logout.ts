import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { createSessionFinder, endSession } from '../../../../accounts/logout.ts'
import { problemResponses } from '../../../../schemas/problem.ts'
import { text } from '../../../../schemas/text.ts'

export default (async (app) => {
  const { config, db } = app
  const sessionOf = createSessionFinder(config.accessTokens)

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
      const sessionId = token === undefined ? request.caller.sessionId : sessionOf(token)
      if (sessionId !== undefined) {
        const userId = await endSession(db, sessionId)
        request.log.info({ event: 'session.ended', userId, sessionId }, 'logged out')
      }
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
