import { openSession } from '../accounts/log-in.ts'
import { takeOver } from '../accounts/reset-password.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { emailUser, type OutgoingEmail, pageLink, shownName } from '../email/outbox.ts'
import { redeemEmailToken } from '../email/tokens.ts'
import type { Client } from '../limits/address-limit.ts'
import { type User, updateUser } from '../users/users.ts'

/** The kind of the emailed tokens, which is part of every query: one of another kind logs nobody in. */
export const kind = 'email_login'

const lifetimeSeconds = 10 * 60

export const loginEmail = (user: User, token: string, config: Config): OutgoingEmail => ({
  to: user.email,
  userId: user.id,
  template: 'email_login',
  kind,
  tokenSeconds: lifetimeSeconds,
  variables: {
    username: shownName(user),
    code: token,
    login_url: pageLink(config, 'email-login', token),
    expiration_minutes: String(lifetimeSeconds / 60),
  },
})

/**
 * Logs a user in with an emailed token, which proves their address, and is no factor.
 * @returns the user's id, and the body of the response, or what the login lacks: the token is used either way
 * @throws ApiError invalid_or_expired_token, too_many_requests
 */
export const logInByEmail = (ctx: Context, text: string, client: Client) =>
  ctx.db.transaction(async (tx) => {
    const redeemed = await redeemEmailToken(ctx, tx, kind, text)
    const user = redeemed.isVerified ? redeemed : await claim(ctx, tx, redeemed)
    return { userId: user.id, ...(await openSession(ctx, tx, { user, client, amr: '' })) }
  })

/** The first proof of an address: a stranger may have registered it, to share the account with its owner later. */
async function claim(ctx: Context, tx: Transaction, user: User): Promise<User> {
  await takeOver(ctx, tx, user)
  // With the name as an unverified user's: the stranger chose it.
  await emailUser(ctx, tx, user, 'account_claimed')
  return updateUser(tx, user.id, { isVerified: true, unclaimedSince: null })
}
