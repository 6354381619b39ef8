import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../../../errors/api-error.ts'
import { logEvent } from '../../../../events.ts'
import { managedUser, toManagedUser } from '../../../../schemas/managed-user.ts'
import { problemResponses } from '../../../../schemas/problem.ts'
import { bearerProblems } from '../../../../schemas/token.ts'
import { createCursor, urlNumber } from '../../../../schemas/url.ts'
import { listUsers } from '../../../../users/list.ts'

/** The id of the last user of a page. */
const cursor = createCursor(z.int())

const query = z.strictObject({
  cursor: cursor.schema.optional().meta({ description: 'next_cursor of the page before' }),
  limit: urlNumber({ max: 100 }).default(50),
})

/** For superusers: the users of the service. */
export default (async (app) => {
  const { accounts } = app
  app.describeTag('admin', 'For superusers')
  const onRequest = [app.requireUser, app.requireSuperuser]

  app.get(
    '/users',
    {
      onRequest,
      schema: {
        tags: ['admin'],
        operationId: 'listUsers',
        summary: 'The users, in the order of their registration',
        description: 'For superusers. To get the next page, send next_cursor as cursor, until it is null.',
        security: [{ bearer: [] }],
        querystring: query,
        response: {
          200: z.object({ users: z.array(managedUser), next_cursor: z.string().nullable() }),
          ...problemResponses(...bearerProblems, 'forbidden', 'validation_failed'),
        },
      },
    },
    async (request) => {
      const { cursor: after = 0, limit } = request.query
      const found = await listUsers(app.db, { after, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      logEvent(request, { event: 'users.listed' })
      const users = page.map((user) => toManagedUser(user, app.now()))
      return { users, next_cursor: last ? cursor.of(last.id) : null }
    },
  )

  app.get(
    '/users/:id',
    {
      onRequest,
      schema: {
        tags: ['admin'],
        operationId: 'getUser',
        summary: 'One user',
        description: 'For superusers.',
        security: [{ bearer: [] }],
        params: z.strictObject({ id: urlNumber() }),
        response: {
          200: managedUser,
          ...problemResponses(...bearerProblems, 'forbidden', 'not_found', 'validation_failed'),
        },
      },
    },
    async (request) => {
      const user = await accounts.users.findById(request.params.id)
      if (!user) throw new ApiError('not_found')
      logEvent(request, { event: 'user.read', userId: user.id, by: request.user.id })
      return toManagedUser(user, app.now())
    },
  )
}) satisfies FastifyPluginAsyncZod
