import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { lockPendingLogin } from '../sign-in/pending-logins.ts'
import { ofLogin, ofSession } from '../sign-in/prove.ts'
import type { User } from '../users/users.ts'
import { createChallenge } from './challenges.ts'
import { descriptorsOf, passkeysOf } from './enrol.ts'
import { relyingParty, webauthn } from './relying-party.ts'

/** The options of a passkey that finishes a pending login. @throws ApiError invalid_mfa_token */
export const optionsForLogin = (
  ctx: Context,
  mfaToken: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  ask(ctx, async (tx) => {
    const { user, token } = await lockPendingLogin(ctx, tx, mfaToken)
    return { user, asked: ofLogin(token.id) }
  })

/** The options of a passkey that confirms a change of a session. @throws ApiError invalid_token */
export const optionsForSession = (
  ctx: Context,
  caller: Caller,
): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  ask(ctx, async (tx) => ({
    user: await lockCaller(ctx, tx, caller),
    sessionId: caller.sessionId,
    asked: ofSession(caller),
  }))

/** @param find who is asked, and for what */
async function ask(
  ctx: Context,
  find: (tx: Transaction) => Promise<{ user: User; sessionId?: number; asked: string }>,
) {
  const { generateAuthenticationOptions } = await webauthn()
  const options = await ctx.db.transaction(async (tx) => {
    const { asked, ...of } = await find(tx)
    const challenge = await createChallenge(ctx, tx, 'passkey proof', { ...of, data: { asked } })
    return { challenge, allowCredentials: descriptorsOf(await passkeysOf(tx, of.user.id)) }
  })
  const { id: rpID } = relyingParty(ctx.config)
  return generateAuthenticationOptions({ ...options, rpID, userVerification: 'required' })
}
