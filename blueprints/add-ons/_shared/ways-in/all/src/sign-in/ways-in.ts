import { requireRecentLogin } from '../accounts/reauthenticate.ts'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { ApiError } from '../errors/api-error.ts'
import { unusablePassword } from '../passwords/hashes.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import type { User } from '../users/users.ts'
import { requireEmailedToken, takeEmailedToken } from './enrolments.ts'
import { factors, hasFactor } from './factors.ts'
import { checkProof, type Proof, prove } from './prove.ts'
import { endTokens } from './tokens.ts'

/** What confirms a change of what logs a user in. */
export interface Confirmation {
  /** Of users without a second factor. */
  emailedToken: string | undefined
  /** Of users with one. */
  proof: Proof
}

/**
 * Confirms that a caller adds a way in: by the emailed token and, of a user with a second factor, a proof of it. Otherwise a
 * stolen token would be enough for a way in that stays. The emailed token is used up when the way in is added.
 * @param begin what this allows, with the user's row locked. isProved: whether a second factor was proved
 * @throws ApiError user_not_verified, emailed_token_required, invalid_or_expired_token, reauthentication_required,
 * invalid_code, invalid_token, too_many_requests
 */
export async function confirmAddition<Result>(
  ctx: Context,
  caller: Caller,
  { emailedToken, proof }: Confirmation,
  begin: (tx: Transaction, user: User, isProved: boolean) => Promise<Result>,
): Promise<Result> {
  await requireEmailedToken(ctx, caller, emailedToken)
  const isProved = await hasFactor(ctx.db.read, caller.user.id)
  const checked = isProved ? await checkProof(ctx, caller.user, proof) : { keys: [] }
  return ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    // A factor that came meanwhile was not asked for: its code would not be counted.
    const isWrong = isProved ? !(await prove(ctx, tx, user, proof, checked)) : await hasFactor(tx, user.id)
    if (isWrong) throw new ApiError('invalid_code')
    return begin(tx, user, isProved)
  })
}

/** One of the ways in that a user has added, such as a passkey. */
interface WayIn<Row> {
  find(db: Reader, userId: number): Promise<Row | undefined>
  /** Whether it lets the user in now. Default: it does */
  isUsable?(row: Row): boolean
  /** Removes it, and tells the user. */
  remove(tx: Transaction, user: User, row: Row): Promise<unknown>
}

/**
 * Removes a way in of a caller, with a proof of their second factor or, without one, an emailed token.
 * @throws ApiError not_found, last_sign_in_method, invalid_code, user_not_verified, emailed_token_required,
 * invalid_or_expired_token, reauthentication_required, invalid_token, too_many_requests
 */
export async function removeWayIn<Row>(
  ctx: Context,
  caller: Caller,
  { emailedToken, proof }: Confirmation,
  way: WayIn<Row>,
): Promise<void> {
  const { read } = ctx.db
  // Before the proof, so that it costs none.
  await requireRemovable(ctx, read, caller.user, way)
  const isAsked = await hasFactor(read, caller.user.id)
  if (isAsked) await requireRecentLogin(ctx, caller)
  const emailed = isAsked ? undefined : await requireEmailedToken(ctx, caller, emailedToken)
  const checked = isAsked ? await checkProof(ctx, caller.user, proof) : { keys: [] }
  await ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    // Again, under the lock: two removals at once must not take the last two ways in.
    const row = await requireRemovable(ctx, tx, user, way)
    // A second factor that came meanwhile has ended the emailed token.
    if (emailed !== undefined) await takeEmailedToken(ctx, tx, user, caller, emailed)
    else if (!(await prove(ctx, tx, user, proof, checked))) throw new ApiError('invalid_code')
    await endTokens(ctx, tx, user.id)
    await way.remove(tx, user, row)
  })
}

/** @throws ApiError not_found, last_sign_in_method: emails could let the user in, but so they could a thief of the mailbox */
async function requireRemovable<Row>(
  ctx: Context,
  db: Reader,
  user: User,
  { find, isUsable = () => true }: WayIn<Row>,
): Promise<Row> {
  const row = await find(db, user.id)
  if (!row) throw new ApiError('not_found')
  let left = Number(user.hashedPassword !== unusablePassword) - Number(isUsable(row))
  for (const { logsIn, count, countUsable } of factors)
    if (logsIn) left += await (countUsable ? countUsable(ctx, db, user.id) : count(db, user.id))
  if (left < 1) throw new ApiError('last_sign_in_method')
  return row
}
