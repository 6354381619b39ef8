import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../../../errors/api-error.ts'
import { logEvent } from '../../../../problem.ts'
import { urlNumber } from '../../../../schemas/text.ts'
import { endDevice, endDevices, listDevices } from '../../../../sessions/devices.ts'
import type { Session } from '../../../../sessions/store.ts'

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

const toResponse = (session: Session, currentId: number): z.output<typeof deviceResponse> => ({
  id: session.id,
  device_name: session.deviceName,
  device_type: session.deviceType,
  ip_address: session.ipAddress,
  user_agent: session.userAgent,
  created_at: session.createdAt.toISOString(),
  last_used_at: session.lastUsedAt?.toISOString() ?? null,
  expires_at: session.expiresAt.toISOString(),
  is_current: session.id === currentId,
})

export default (async (app) => {
  const { ctx } = app

  app.get(
    '/devices',
    {
      onRequest: app.requireUser,
      schema: {
        operationId: 'listDevices',
        summary: 'The sessions of the current user, newest first',
        description: 'Each login starts a session.',
        response: { 200: z.object({ devices: z.array(deviceResponse) }) },
      },
    },
    async (request) => {
      const { user, sessionId } = request.caller
      const devices = await listDevices(ctx, user.id)
      return { devices: devices.map((session) => toResponse(session, sessionId)) }
    },
  )

  app.delete(
    '/devices',
    {
      onRequest: app.requireUser,
      schema: {
        operationId: 'endOtherDevices',
        summary: 'End all other sessions of the current user',
        description: 'Only the session of the access token continues.',
        response: { 204: z.undefined().meta({ description: 'The other sessions have ended' }) },
      },
    },
    async (request, reply) => {
      const { caller } = request
      await endDevices(ctx, caller, caller.sessionId)
      logEvent(request, { event: 'sessions.others_ended' })
      return reply.code(204).send()
    },
  )

  app.delete(
    '/devices/:id',
    {
      onRequest: app.requireUser,
      schema: {
        operationId: 'endDevice',
        summary: 'End one session of the current user',
        description: 'Its tokens are revoked immediately.',
        params: z.strictObject({ id: urlNumber() }),
        response: { 204: z.undefined().meta({ description: 'The session has ended' }) },
        problems: ['not_found'],
      },
    },
    async (request, reply) => {
      const { id } = request.params
      if (!(await endDevice(ctx, request.caller, id)))
        throw new ApiError('not_found', { log: { event: 'session.not_found' } })
      logEvent(request, { event: 'session.ended', sessionId: id })
      return reply.code(204).send()
    },
  )
}) satisfies FastifyPluginAsyncZod
