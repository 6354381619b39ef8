import { and, desc, eq } from 'drizzle-orm'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { endSessions, liveSessions, sessions } from '../../../../accounts/session-store.ts'
import { lockUser } from '../../../../accounts/users.ts'
import { ApiError } from '../../../../errors.ts'
import { idParameter } from '../../../../schemas/id.ts'
import { problemResponses } from '../../../../schemas/problem.ts'

const deviceResponse = z
  .object({
    id: z.int(),
    device_name: z.string().nullable(),
    device_type: z.string().nullable(),
    ip_address: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime(),
    is_current: z.boolean(),
  })
  .meta({
    id: 'Device',
    examples: [
      {
        id: 1,
        device_name: "Alice's phone",
        device_type: 'mobile',
        ip_address: '192.0.2.1',
        user_agent: 'Mozilla/5.0 …',
        created_at: '2026-01-01T12:00:00.000Z',
        last_used_at: null,
        expires_at: '2026-01-02T12:00:00.000Z',
        is_current: true,
      },
    ],
  })

export default (async (app) => {
  const { db, now } = app

  app.get(
    '/devices',
    {
      onRequest: app.requireUser,
      schema: {
        tags: ['auth'],
        summary: 'The sessions of the current user, newest first',
        security: [{ bearer: [] }],
        response: {
          200: z.object({ devices: z.array(deviceResponse) }),
          ...problemResponses('not_authenticated', 'token_expired', 'invalid_token', 'unavailable'),
        },
      },
    },
    async (request) => {
      const { user, sessionId } = request.caller
      const rows = await db.read
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, user.id), liveSessions(now())))
        .orderBy(desc(sessions.id))
      return {
        devices: rows.map((session) => ({
          id: session.id,
          device_name: session.deviceName,
          device_type: session.deviceType,
          ip_address: session.ipAddress,
          user_agent: session.userAgent,
          created_at: session.createdAt.toISOString(),
          last_used_at: session.lastUsedAt?.toISOString() ?? null,
          expires_at: session.expiresAt.toISOString(),
          is_current: session.id === sessionId,
        })),
      }
    },
  )

  app.delete(
    '/devices/:id',
    {
      onRequest: app.requireUser,
      schema: {
        tags: ['auth'],
        summary: 'End one session of the current user',
        security: [{ bearer: [] }],
        params: z.strictObject({ id: idParameter }),
        response: {
          204: z.undefined().meta({ description: 'The session is over' }),
          ...problemResponses(
            'not_authenticated',
            'token_expired',
            'invalid_token',
            'not_found',
            'validation_failed',
            'unavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      const { user } = request
      const { id } = request.params
      const isFound = await db.transaction(async (tx) => {
        await lockUser(tx, user.id)
        // Somebody else's session looks like none: an id that is answered differently would be known to exist.
        const own = and(eq(sessions.id, id), eq(sessions.userId, user.id), liveSessions(now()))
        const [session] = await tx.select({ id: sessions.id }).from(sessions).where(own)
        if (session) await endSessions(tx, own)
        return session !== undefined
      })
      if (!isFound) throw new ApiError('not_found')
      request.log.info({ event: 'session.ended', userId: user.id, sessionId: id }, 'device logged out')
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
