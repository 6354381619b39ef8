import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  type Asker,
  activateUser,
  deactivateUser,
  endUserSessions,
} from '../../../../accounts/manage-users.ts'
import { ApiError } from '../../../../errors/api-error.ts'
import { logEvent } from '../../../../problem.ts'
import { urlNumber } from '../../../../schemas/text.ts'
import { type Caller, lockCaller } from '../../../../sessions/caller.ts'

/** For superusers: the same as the commands of these names. */
export default (async (app) => {
  const { ctx } = app

  // Again, with their row locked: someone who is deactivated or demoted would undo it by a request that is under way.
  const asSuperuser = (caller: Caller): Asker => ({
    id: caller.user.id,
    async check(tx) {
      const { isSuperuser } = await lockCaller(ctx, tx, caller)
      if (!isSuperuser) throw new ApiError('forbidden')
    },
  })

  const actions = [
    {
      path: 'activate',
      operationId: 'activateUser',
      summary: 'Let a deactivated user log in again',
      event: 'user.activated',
      run: activateUser,
    },
    {
      path: 'deactivate',
      operationId: 'deactivateUser',
      summary: 'Block a user immediately, and revoke all their tokens',
      event: 'user.deactivated',
      run: deactivateUser,
    },
    {
      path: 'end-sessions',
      operationId: 'endSessionsOfUser',
      summary: 'Log a user out everywhere',
      event: 'sessions.ended',
      run: endUserSessions,
    },
  ]

  for (const { path, operationId, summary, event, run } of actions) {
    // A wrong click would lock the last superuser out: only the command line lets them in again.
    const refusesOwn = run === deactivateUser
    app.post(
      `/users/:id/${path}`,
      {
        // An unlocked browser or a stolen token of a superuser must not be enough to block users, or to let them in again.
        onRequest: [app.requireUser, app.requireSuperuser, app.requireRecentLogin],
        schema: {
          operationId,
          summary,
          description: 'For superusers who logged in less than 10 minutes ago. Can be repeated.',
          params: z.strictObject({ id: urlNumber() }),
          response: { 204: z.undefined().meta({ description: 'Done' }) },
          problems: ['not_found', ...(refusesOwn ? (['own_account'] as const) : [])],
        },
      },
      async (request, reply) => {
        const { id } = request.params
        if (refusesOwn && id === request.user.id) throw new ApiError('own_account')
        await run(ctx, id, asSuperuser(request.caller))
        logEvent(request, { event, userId: id, by: request.user.id })
        return reply.code(204).send()
      },
    )
  }
}) satisfies FastifyPluginAsyncZod
