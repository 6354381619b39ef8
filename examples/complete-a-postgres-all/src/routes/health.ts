import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { probe } from '../db/probe.ts'
import { ApiError } from '../errors/api-error.ts'

const status = z.object({ status: z.literal('ok') })

/** Health checks. Restart the service if it is not live. Send it requests only while it is ready. */
export default (async (app) => {
  let running: Promise<void> | undefined

  app.get(
    '/health/live',
    {
      schema: {
        operationId: 'getLiveness',
        summary: 'The process answers',
        description: 'Restart the service if it does not.',
        response: { 200: status },
      },
    },
    async () => ({ status: 'ok' as const }),
  )

  app.get(
    '/health/ready',
    {
      schema: {
        operationId: 'getReadiness',
        summary: 'The database is ready too',
        description: 'Send requests to the service only while it is ready.',
        response: { 200: status },
      },
    },
    async (request) => {
      // Many checks at once are one for the database: while a table is locked, a flood would take every connection.
      running ??= app.db.ping(probe).finally(() => {
        running = undefined
      })
      try {
        await running
      } catch (error) {
        request.log.error({ err: error }, 'database is not ready')
        throw new ApiError('unavailable', { retryAfter: 1 })
      }
      return { status: 'ok' as const }
    },
  )
}) satisfies FastifyPluginAsyncZod
