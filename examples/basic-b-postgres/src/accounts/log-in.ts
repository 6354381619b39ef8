import type { Context } from '../context.ts'
import { ApiError } from '../errors/api-error.ts'
import { countSuccess, rememberClient, takeBackFailures } from '../limits/login-limit.ts'
import { checkPassword, type RightPassword } from '../passwords/check-password.ts'
import { startSession } from '../sessions/sessions.ts'
import { lockUser, updateUser } from '../users/users.ts'

/** What a login is given. */
export interface Given {
  /** Username or email, as typed. */
  name: string
  password: string
  /** IP address of the client. */
  address: string
}

/**
 * Logs a user in with a password, and replaces a weak hash.
 * @returns the user's id, and the body of the response
 * @throws ApiError invalid_credentials, unavailable, too_many_requests
 */
export async function logIn(ctx: Context, given: Given) {
  const user = await ctx.users.findByLogin(given.name)
  const right = await checkPassword(ctx, { ...given, user })
  if (!right) throw new ApiError('invalid_credentials', { log: { userId: user?.id } })
  return { userId: right.user.id, tokens: await completeLogin(ctx, given, right) }
}

/**
 * Issues a token after the password was verified. Fails if the password was changed or the user was deactivated since
 * then: a stolen password must not log in just after it was changed.
 */
export async function completeLogin(
  ctx: Context,
  given: Given,
  { user: verified, failures }: RightPassword,
): Promise<ReturnType<typeof startSession>> {
  const { credentials, db, now } = ctx
  const { address, password } = given
  const newHash = credentials.needsRehash(password, verified.hashedPassword)
    ? await credentials.hash(password, address)
    : undefined
  const outcome = await db.transaction(async (tx) => {
    const user = await lockUser(tx, verified.id)
    if (!user?.isActive) throw new ApiError('invalid_credentials')
    if (user.hashedPassword !== verified.hashedPassword) return { changed: user }
    await takeBackFailures(tx, failures)
    await countSuccess(ctx, tx, user.id, address)
    if (newHash !== undefined) await updateUser(tx, user.id, { hashedPassword: newHash })
    await rememberClient(tx, user.id, address, now())
    return { tokens: startSession(ctx, user) }
  })
  if (outcome.tokens) {
    await failures.giveBackToAddress()
    return outcome.tokens
  }
  // A concurrent login may have rehashed the same password.
  const { changed } = outcome
  if (!(await credentials.verify(password, changed.hashedPassword, address)))
    throw new ApiError('invalid_credentials')
  return completeLogin(ctx, given, { user: changed, failures })
}
