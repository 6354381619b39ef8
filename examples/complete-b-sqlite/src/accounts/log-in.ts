import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { queueEmail, shownName, withoutLinks } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { countSuccess, rememberClient, takeBackFailures } from '../limits/login-limit.ts'
import { checkPassword, type RightPassword } from '../passwords/check-password.ts'
import { startSession } from '../sessions/sessions.ts'
import type { NewSession } from '../sessions/store.ts'
import { lockUser, type User, updateUser } from '../users/users.ts'

/** What a login is given. */
export interface Given {
  /** Username or email, as typed. */
  name: string
  password: string
  /** IP address of the client. */
  address: string
  /** Stored with the session. */
  device: Omit<NewSession, 'user'>
}

/**
 * Logs a user in with a password, and replaces a weak hash.
 * @returns the user's id, and the body of the response
 * @throws ApiError invalid_credentials, user_not_verified, unavailable, too_many_requests
 */
export async function logIn(ctx: Context, given: Given) {
  const user = await ctx.users.findByLogin(given.name)
  const right = await checkPassword(ctx, { ...given, user })
  if (!right) throw new ApiError('invalid_credentials', { log: { userId: user?.id } })
  return { userId: right.user.id, tokens: await completeLogin(ctx, given, right) }
}

/**
 * Starts a session after the password was verified. Fails if the password was changed or the user was deactivated since
 * then: a stolen password must not open a session just after it was changed.
 */
export async function completeLogin(
  ctx: Context,
  given: Given,
  { user: verified, failures }: RightPassword,
): ReturnType<typeof startSession> {
  const { credentials, db, now } = ctx
  const { address, device, password } = given
  const newHash = credentials.needsRehash(password, verified.hashedPassword)
    ? await credentials.hash(password, address)
    : undefined
  const outcome = await db.transaction(async (tx) => {
    const user = await lockUser(tx, verified.id)
    if (!user?.isActive) throw new ApiError('invalid_credentials')
    if (user.hashedPassword !== verified.hashedPassword) return { changed: user }
    await takeBackFailures(tx, failures)
    await countSuccess(ctx, tx, user.id, address)
    // Only now: before the password, anyone could find out who has an account.
    if (ctx.config.accounts.loginRequiresVerifiedEmail && !user.isVerified) return { notVerified: user }
    if (newHash !== undefined) await updateUser(tx, user.id, { hashedPassword: newHash })
    const isNewClient = await rememberClient(tx, user.id, address, now())
    if (isNewClient) await emailNewLogin(ctx, tx, user, address)
    return { tokens: await startSession(ctx, tx, { user, ...device }) }
  })
  if (outcome.changed) {
    // A concurrent login may have rehashed the same password.
    const { changed } = outcome
    if (!(await credentials.verify(password, changed.hashedPassword, address)))
      throw new ApiError('invalid_credentials')
    return completeLogin(ctx, given, { user: changed, failures })
  }
  await failures.giveBackToAddress()
  if (outcome.tokens) return outcome.tokens
  throw new ApiError('user_not_verified', { log: { event: 'login.not_verified', userId: verified.id } })
}

/**
 * Emails a user that a client logged in which is not familiar: perhaps a thief of the password (ASVS 5.0 section 6.3.5).
 * To a verified address only, because others may belong to strangers.
 */
async function emailNewLogin(ctx: Context, tx: Transaction, user: User, address: string): Promise<void> {
  if (!ctx.config.email.noticeNewLogin || !user.isVerified) return
  // UTC, because the email may be in any language.
  const time = `${new Date(ctx.now()).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  await queueEmail(ctx, tx, {
    to: user.email,
    userId: user.id,
    template: 'new_login',
    variables: { username: shownName(user), time, address: withoutLinks(address) },
  })
}
