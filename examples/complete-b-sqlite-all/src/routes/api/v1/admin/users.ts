import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../../../errors/api-error.ts'
import { logEvent } from '../../../../problem.ts'
import { cursor, cursorOf } from '../../../../schemas/cursor.ts'
import { managedUser, toManagedUser } from '../../../../schemas/managed-user.ts'
import { urlNumber } from '../../../../schemas/text.ts'
import { listUsers } from '../../../../users/users.ts'

const query = z.strictObject({
  cursor: cursor.optional().meta({ description: 'next_cursor of the page before' }),
  limit: urlNumber({ max: 100 }).default(50),
})

/** For superusers: the users of the service. */
export default (async (app) => {
  const { ctx } = app
  app.describeTag('admin', 'For superusers')
  const onRequest = [app.requireUser, app.requireSuperuser]

  app.get(
    '/users',
    {
      onRequest,
      schema: {
        operationId: 'listUsers',
        summary: 'The users, in the order of their registration',
        description: 'For superusers. To get the next page, send next_cursor as cursor, until it is null.',
        querystring: query,
        response: { 200: z.object({ users: z.array(managedUser), next_cursor: z.string().nullable() }) },
      },
    },
    async (request) => {
      const { cursor: after = 0, limit } = request.query
      const found = await listUsers(app.db, { after, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      logEvent(request, { event: 'users.listed' })
      const users = page.map((user) => toManagedUser(user, app.now()))
      return { users, next_cursor: last ? cursorOf(last.id) : null }
    },
  )

  app.get(
    '/users/:id',
    {
      onRequest,
      schema: {
        operationId: 'getUser',
        summary: 'One user',
        description: 'For superusers.',
        params: z.strictObject({ id: urlNumber() }),
        response: { 200: managedUser },
        problems: ['not_found'],
      },
    },
    async (request) => {
      const user = await ctx.users.findById(request.params.id)
      if (!user) throw new ApiError('not_found')
      logEvent(request, { event: 'user.read', userId: user.id, by: request.user.id })
      return toManagedUser(user, app.now())
    },
  )
}) satisfies FastifyPluginAsyncZod
