import { resetEmail } from '../accounts/emails.ts'
import { endAccess } from '../accounts/end-access.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { emailUser } from '../email/outbox.ts'
import { emailTokenHashes } from '../email/tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import type { User } from '../users/users.ts'
import { factorsOf, removeFactors } from './factors.ts'
import { forgetWrongCodes } from './prove.ts'
import { additionsPurpose, deleteToken, findToken, insertToken, lockToken } from './tokens.ts'

/**
 * A reset keeps factors (ASVS 5.0 section 6.4.3). Whoever read the mailbox for ten minutes could add one, and lock the
 * owner out for good: so the token of a reset can take back what is new.
 */

/** How far back it does, in milliseconds. */
const newMs = 7 * 24 * 60 * 60_000

/** A token that rests on the address alone: the reset has changed the password. */
const byAddress = (user: User): User => ({ ...user, hashedPassword: '' })

/** The email of a reset names what was added in the last 7 days. */
export const nameAdditions =
  ({ now }: Context): Context['tokenEmails'][string] =>
  async (user, text, config, db) => {
    const email = resetEmail(user, text, config)
    const added = await factorsOf(db, user.id, new Date(now() - newMs))
    if (added.length === 0) return email
    const variables = { ...email.variables, additions: added.map(({ factor }) => factor.title).join(', ') }
    return { ...email, template: `${email.template}_additions`, variables }
  }

/** Keeps the token of a reset for as long as it was valid, and lets the owner in, whatever a thief has guessed. */
export async function keepResetToken(ctx: Context, tx: Transaction, user: User, text: string, sentAt: Date) {
  await forgetWrongCodes(tx, user)
  await insertToken(ctx, tx, {
    token: emailTokenHashes(text, ctx.keys.emailTokens)[0],
    purpose: additionsPurpose,
    user: byAddress(user),
    data: { since: sentAt.getTime() - newMs },
    lifetimeMs: sentAt.getTime() + ctx.config.email.resetSeconds * 1000 - ctx.now(),
  })
}

/**
 * Removes what was added since 7 days before the email of a reset, with its token, and ends all sessions.
 * @returns the user's id, and the names of what was removed
 * @throws ApiError invalid_or_expired_token
 */
export const undoAdditions = (ctx: Context, text: string): Promise<{ userId: number; removed: string[] }> =>
  ctx.db.transaction(async (tx) => {
    const find = () => findToken(ctx, tx, additionsPurpose, emailTokenHashes(text, ctx.keys.emailTokens))
    const found = await lockToken(tx, find, byAddress)
    if (!found) throw new ApiError('invalid_or_expired_token')
    const { token, user } = found
    await deleteToken(tx, token)
    const removed = await removeFactors(tx, user.id, { since: new Date(JSON.parse(token.data).since) })
    await endAccess(ctx, tx, user.id)
    if (removed.length > 0) await emailUser(ctx, tx, user, 'factor_removed')
    return { userId: user.id, removed }
  })
