import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { logIn } from '../../../../accounts/log-in.ts'
import type { Config } from '../../../../config.ts'
import { examplePassword } from '../../../../passwords/rules.ts'
import { logEvent } from '../../../../problem.ts'
import { text } from '../../../../schemas/text.ts'
import { givenPassword, tokenResponse } from '../../../../schemas/user.ts'
import { maxNameLength } from '../../../../users/names.ts'

const loginRequest = (credentials: Config['credentials']) =>
  z
    .strictObject({
      username: text(maxNameLength).optional().meta({ description: 'Username or email' }),
      email: text(maxNameLength).optional(),
      password: givenPassword(credentials),
      device_name: text(100).optional().meta({ description: 'Shown in the list of devices' }),
      device_type: text(100).optional(),
    })
    .refine((body) => (body.username === undefined) !== (body.email === undefined), {
      error: 'Send either username or email',
      params: { code: 'username_or_email' },
      path: ['username'],
    })
    // The user of the example of register. Without it, the API page would send all fields.
    .meta({ examples: [{ username: 'alice', password: examplePassword(credentials) }] })

export default (async (app) => {
  const { config, ctx } = app

  app.post(
    '/login',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'login',
        summary: 'Exchange a password for an access token',
        description: 'Send either the username or the email address. `username` may hold an email address.',
        body: loginRequest(config.credentials),
        response: { 200: tokenResponse },
        problems: [
          // The same for every name.
          'invalid_credentials',
          'user_not_verified',
        ],
      },
    },
    async (request) => {
      const { password, ...body } = request.body
      const name = body.username ?? body.email ?? ''
      const client = {
        address: request.ip,
        userAgent: request.headers['user-agent'],
        deviceName: body.device_name,
        deviceType: body.device_type,
      }
      const { userId, tokens } = await logIn(ctx, { name, password, client })
      logEvent(request, { event: 'login.succeeded', userId })
      return tokens
    },
  )
}) satisfies FastifyPluginAsyncZod
