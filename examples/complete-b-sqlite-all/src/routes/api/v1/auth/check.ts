import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { problemResponses } from '../../../../schemas/problem.ts'
import type { Caller } from '../../../../sessions/caller.ts'

const noBody = (description: string) => z.undefined().meta({ description })

/** ASCII without spaces and control characters, as every name and address of this service. */
const printable = /^[!-~]+$/

/** The headers that tell a service who sends a request. */
const headersOf = ({ user, expiresAt }: Caller) => ({
  'x-user-id': String(user.id),
  'x-username': user.username,
  'x-user-email': user.email,
  'x-user-verified': String(user.isVerified),
  'x-user-superuser': String(user.isSuperuser),
  'x-token-expires': String(expiresAt),
})

/** For proxies, which ask before they pass a request on. */
export default (async (app) => {
  for (const [method, operationId] of [
    ['GET', 'checkAccessToken'],
    ['HEAD', 'checkAccessTokenHead'],
  ] as const)
    app.route({
      // In a list, because the OpenAPI document leaves single HEAD routes out.
      method: [method],
      exposeHeadRoute: false,
      url: '/check',
      // Not requireUser: its errors have a body, and nginx closes the connection of a subrequest whose body it does not read.
      onRequest: app.loadUser,
      schema: {
        tags: ['auth'],
        operationId,
        summary: 'Whether an access token is live, for proxies',
        description: 'The headers of the 204 say whose it is. Neither response has a body.',
        security: [{ bearer: [] }],
        response: {
          ...problemResponses(),
          204: noBody('X-User-Id, X-Username, X-User-Email, … say who sends the request'),
          401: noBody('No live access token'),
        },
      },
      handler: async (request, reply) => {
        // Node.js reads the first of several credentials, and the service behind the proxy may read another one.
        const names = request.raw.rawHeaders.filter((_, at) => at % 2 === 0)
        const isRepeated = names.filter((name) => /^authorization$/i.test(name)).length > 1
        const caller = isRepeated ? undefined : request.optionalCaller
        // A row that another program wrote may have any text. A line break in it would add headers, such as X-User-Superuser.
        if (caller && [caller.user.username, caller.user.email].every((text) => printable.test(text)))
          return reply.code(204).headers(headersOf(caller)).send()
        const isBearer = /^Bearer /i.test(request.headers.authorization ?? '')
        const reason = isBearer ? ' error="invalid_token"' : ''
        return reply.code(401).header('www-authenticate', `Bearer${reason}`).send()
      },
    })
}) satisfies FastifyPluginAsyncZod
