import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { lockPendingLogin } from '../sign-in/pending-logins.ts'
import { ofLogin, ofSession } from '../sign-in/prove.ts'
import type { User } from '../users/users.ts'
import { createChallenge } from './challenges.ts'
import { passkeysOf } from './enrol.ts'
import { requestOptions } from './relying-party.ts'

/** The options of a passkey that finishes a pending login. @throws ApiError invalid_mfa_token */
export const optionsForLogin = (ctx: Context, mfaToken: string) =>
  ctx.db.transaction(async (tx) => {
    const { user, token } = await lockPendingLogin(ctx, tx, mfaToken)
    return ask(ctx, tx, user, ofLogin(token.id))
  })

/** The options of a passkey that confirms a change of a session. @throws ApiError invalid_token */
export const optionsForSession = (ctx: Context, caller: Caller) =>
  ctx.db.transaction(async (tx) =>
    ask(ctx, tx, await lockCaller(ctx, tx, caller), ofSession(caller), caller.sessionId),
  )

async function ask(ctx: Context, tx: Transaction, user: User, asked: string, sessionId?: number) {
  const challenge = await createChallenge(ctx, tx, 'passkey proof', {
    user,
    ...(sessionId !== undefined && { sessionId }),
    data: { asked },
  })
  return requestOptions(ctx.config, challenge, await passkeysOf(tx, user.id))
}
