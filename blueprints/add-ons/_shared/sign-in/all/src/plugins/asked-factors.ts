import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../errors/api-error.ts'
import { guard } from '../schemas/problem.ts'
import { tokenResponse } from '../schemas/user.ts'
import { isMfa } from '../sessions/caller.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Guard: users who logged in with a second factor. After requireUser: `[app.requireUser, app.requireMfa]`. */
    requireMfa: onRequestAsyncHookHandler
  }
}

/** Routes that log in document that they may ask for a second factor. The hook of error-handler.ts, which comes later, reads it. */
export default fp(async (app) => {
  const { ctx } = app
  app.addHook('onRoute', ({ schema }) => {
    const { problems = [], response } = schema ?? {}
    const answersTokens = Object.values(response ?? {}).includes(tokenResponse)
    // A refresh answers with tokens too.
    const logsIn = problems.includes('invalid_credentials') || problems.includes('invalid_or_expired_token')
    if (schema && answersTokens && logsIn) schema.problems = [...problems, 'mfa_required']
  })

  // Reads how the session logged in from its row: the token of before the factor says less.
  const requireMfa = async ({ caller: { amr, user } }: FastifyRequest) => {
    if (isMfa(amr)) return
    const hasFactor = await ctx.hasSecondFactor(ctx.db.read, user.id)
    throw new ApiError('mfa_needed', {
      detail: hasFactor ? 'Log in with your second factor' : 'Set up a second factor',
      members: { action: hasFactor ? 'log_in' : 'set_up' },
    })
  }
  app.decorate('requireMfa', guard(['mfa_needed'], requireMfa))
})
