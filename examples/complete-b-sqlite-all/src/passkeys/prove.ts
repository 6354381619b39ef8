import {
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { lockPendingLogin } from '../sign-in/pending-logins.ts'
import { ofLogin, ofSession } from '../sign-in/prove.ts'
import type { User } from '../users/users.ts'
import { createChallenge } from './challenges.ts'
import { descriptorsOf, passkeysOf } from './enrol.ts'
import { relyingParty } from './relying-party.ts'

/** The options of a passkey that finishes a pending login. @throws ApiError invalid_mfa_token */
export const optionsForLogin = (
  ctx: Context,
  mfaToken: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  ctx.db
    .transaction(async (tx) => {
      const { user, token } = await lockPendingLogin(ctx, tx, mfaToken)
      return ask(ctx, tx, user, ofLogin(token.id))
    })
    .then(generateAuthenticationOptions)

/** The options of a passkey that confirms a change of a session. @throws ApiError invalid_token */
export const optionsForSession = (
  ctx: Context,
  caller: Caller,
): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  ctx.db
    .transaction(async (tx) =>
      ask(ctx, tx, await lockCaller(ctx, tx, caller), ofSession(caller), caller.sessionId),
    )
    .then(generateAuthenticationOptions)

async function ask(ctx: Context, tx: Transaction, user: User, asked: string, sessionId?: number) {
  const challenge = await createChallenge(ctx, tx, 'passkey proof', {
    user,
    ...(sessionId !== undefined && { sessionId }),
    data: { asked },
  })
  const { id: rpID } = relyingParty(ctx.config)
  const allowCredentials = descriptorsOf(await passkeysOf(tx, user.id))
  return { rpID, challenge, allowCredentials, userVerification: 'required' as const }
}
