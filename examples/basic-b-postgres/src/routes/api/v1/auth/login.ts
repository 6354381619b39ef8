import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Config } from '../../../../config.ts'
import { ApiError } from '../../../../errors/api-error.ts'
import { logEvent } from '../../../../events.ts'
import { createSuccessLimit } from '../../../../limits/login-limit.ts'
import { examplePassword } from '../../../../passwords/rule.ts'
import { givenPassword } from '../../../../schemas/password.ts'
import { bodyProblems, problemResponses } from '../../../../schemas/problem.ts'
import { text } from '../../../../schemas/text.ts'
import { loginProblems, tokenResponse } from '../../../../schemas/token.ts'
import { maxNameLength } from '../../../../users/names.ts'

const loginRequest = (credentials: Config['credentials']) =>
  z
    .strictObject({
      username: text(maxNameLength).optional().meta({ description: 'Username or email' }),
      email: text(maxNameLength).optional(),
      password: givenPassword(credentials),
    })
    .refine((body) => (body.username === undefined) !== (body.email === undefined), {
      error: 'Send either username or email',
      params: { code: 'username_or_email' },
      path: ['username'],
    })
    // The user of the example of register. Without it, the API page would send all fields.
    .meta({ examples: [{ username: 'alice', password: examplePassword(credentials) }] })

export default (async (app) => {
  const { accounts, config } = app
  const countSuccess = createSuccessLimit(app)

  app.post(
    '/login',
    {
      onRequest: app.limitRequests,
      schema: {
        tags: ['auth'],
        operationId: 'login',
        summary: 'Exchange a password for an access token',
        description: 'Send either the username or the email address. `username` may hold an email address.',
        body: loginRequest(config.credentials),
        response: {
          200: tokenResponse,
          ...problemResponses(...bodyProblems, ...loginProblems),
        },
      },
    },
    async (request) => {
      const given = { password: request.body.password, address: request.ip }
      const login = request.body.username ?? request.body.email ?? ''
      const user = await accounts.users.findByLogin(login)
      const verified = await accounts.checkPassword({ name: login, user, ...given })
      if (!verified) throw new ApiError('invalid_credentials', { log: { userId: user?.id } })
      await countSuccess(verified.id, request.ip)
      const { access, completeLogin } = accounts
      const tokens = await completeLogin(verified, given, access.grant)
      logEvent(request, { event: 'login.succeeded', userId: verified.id })
      return tokens
    },
  )
}) satisfies FastifyPluginAsyncZod
