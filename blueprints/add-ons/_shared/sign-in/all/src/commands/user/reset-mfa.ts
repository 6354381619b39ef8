import { emailUser } from '../../email/outbox.ts'
import { endSessions } from '../../sessions/sessions.ts'
import { removeFactors } from '../../sign-in/factors.ts'
import { lockUser } from '../../users/users.ts'
import { onUser, type UserCommand } from '../user-commands.ts'

export default {
  // For users who lost their second factor and the recovery codes. Check who asks first.
  'reset-mfa': onUser({
    summary: 'remove all second factors of a user, and end their sessions',
    event: 'mfa.reset',
    change: (ctx, { id }) =>
      ctx.db.transaction(async (tx) => {
        const user = await lockUser(tx, id)
        await removeFactors(tx, id)
        await endSessions(ctx, tx, id)
        if (user?.isVerified) await emailUser(ctx, tx, user, 'factor_removed')
      }),
    done: 'has no second factor any more, and no session',
  }),
} satisfies Record<string, UserCommand>
