import type { Context } from '../context.ts'
import { ApiError } from '../errors/api-error.ts'
import { uncountAttempts } from '../limits/attempts.ts'
import { countSuccess, type Guess, rememberClient } from '../limits/login-limit.ts'
import { checkPassword, type Right } from '../passwords/check-password.ts'
import { startSession } from '../sessions/sessions.ts'
import { lockUser, updateUser } from '../users/users.ts'

/**
 * Logs a user in with a password, and replaces a weak hash.
 * @returns the user's id, and the body of the response
 * @throws ApiError invalid_credentials, unavailable, too_many_requests
 */
export async function logIn(ctx: Context, guess: Guess) {
  const user = await ctx.users.findByLogin(guess.name)
  const right = await checkPassword(ctx, guess, user)
  if (!right) throw new ApiError('invalid_credentials', { log: { userId: user?.id } })
  return { userId: right.user.id, tokens: await completeLogin(ctx, guess, right) }
}

/**
 * Issues a token after the password was verified. Fails if the password was changed or the user was deactivated since
 * then: a stolen password must not log in just after it was changed.
 */
export async function completeLogin(
  ctx: Context,
  guess: Guess,
  { user: verified, ...counted }: Right,
): Promise<ReturnType<typeof startSession>> {
  const { credentials, db, now } = ctx
  const { client, password } = guess
  const newHash = credentials.needsRehash(password, verified.hashedPassword)
    ? await credentials.hash(password, client.address)
    : undefined
  const outcome = await db.transaction(async (tx) => {
    const user = await lockUser(tx, verified.id)
    if (!user?.isActive) throw new ApiError('invalid_credentials')
    if (user.hashedPassword !== verified.hashedPassword) return { changed: user }
    await uncountAttempts(tx, counted.keys)
    await countSuccess(ctx, tx, user.id, client.address)
    if (newHash !== undefined) await updateUser(tx, user.id, { hashedPassword: newHash })
    await rememberClient(tx, user.id, client.address, now())
    return { tokens: startSession(ctx, user) }
  })
  if (outcome.tokens) {
    await counted.giveBackToAddress()
    return outcome.tokens
  }
  // A concurrent login may have rehashed the same password.
  const { changed } = outcome
  if (!(await credentials.verify(password, changed.hashedPassword, client.address)))
    throw new ApiError('invalid_credentials')
  return completeLogin(ctx, guess, { ...counted, user: changed })
}
