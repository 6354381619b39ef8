import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { openSession } from '../accounts/log-in.ts'
import type { Context } from '../context.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Client } from '../limits/address-limit.ts'
import type { Credential } from '../sign-in/factors.ts'
import { committed } from '../sign-in/tokens.ts'
import { lockUser } from '../users/users.ts'
import { createChallenge } from './challenges.ts'
import { requestOptions } from './relying-party.ts'
import { acceptSigned, verifySigned } from './verify.ts'

const purpose = 'passkey login'

/** The options of a login, the same for everyone: the device names the user, so that no answer tells who has a passkey. */
export async function optionsForLogin(ctx: Context): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenge = await ctx.db.transaction((tx) => createChallenge(ctx, tx, purpose))
  return requestOptions(ctx.config, challenge)
}

/**
 * Logs a user in. The device has verified them: it is both factors.
 * @returns the user's id, and the body of the response
 * @throws ApiError invalid_credentials, user_not_verified, too_many_requests
 */
export async function logInWithPasskey(ctx: Context, credential: Credential, client: Client) {
  const signed = await verifySigned(ctx, credential)
  if (!signed) throw new ApiError('invalid_credentials')
  return committed(ctx, async (tx) => {
    const user = await lockUser(tx, signed.userId)
    if (!user || !(await acceptSigned(ctx, tx, purpose, user, signed)))
      return new ApiError('invalid_credentials', { log: { userId: user?.id } })
    const opened = await openSession(ctx, tx, { user, client, amr: 'pop user mfa' })
    return 'refused' in opened ? opened.refused : { userId: user.id, tokens: opened.tokens }
  })
}
