import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { emailUser, withoutLinks } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { uncountAttempts } from '../limits/attempts.ts'
import { countSuccess, type Guess, rememberClient } from '../limits/login-limit.ts'
import { checkPassword, type Right } from '../passwords/check-password.ts'
import { startSession } from '../sessions/sessions.ts'
import type { NewSession } from '../sessions/store.ts'
import { lockUser, type User, updateUser } from '../users/users.ts'

/**
 * Logs a user in with a password, and replaces a weak hash.
 * @returns the user's id, and the body of the response
 * @throws ApiError invalid_credentials, user_not_verified, unavailable, too_many_requests
 */
export async function logIn(ctx: Context, guess: Guess) {
  const user = await ctx.users.findByLogin(guess.name)
  const right = await checkPassword(ctx, guess, user)
  if (!right) throw new ApiError('invalid_credentials', { log: { userId: user?.id } })
  return { userId: right.user.id, tokens: await completeLogin(ctx, guess, right) }
}

/** A user who has proved who they are, with their row locked, and how. */
export interface Login extends Omit<NewSession, 'loggedInAt'> {
  /** Whether LOGIN_REQUIRES_VERIFIED_EMAIL leaves it to the guards, which hold the session to verifying. */
  admitsUnverified?: boolean
}

/** What an addition puts between the proof and the session. @returns why the user gets no session, or not yet */
export type LoginStep = (ctx: Context, tx: Transaction, login: Login) => Promise<ApiError | undefined>

type Opened = { tokens: Awaited<ReturnType<typeof startSession>> } | { refused: ApiError }

/**
 * Opens the session of a login, however the user proved who they are: no way around a step. A refusal is returned, because
 * the transaction commits: it has counted the attempt.
 * @throws ApiError invalid_credentials, too_many_requests
 */
export async function openSession(ctx: Context, tx: Transaction, login: Login): Promise<Opened> {
  const { user, client } = login
  if (!user.isActive) throw new ApiError('invalid_credentials', { log: { userId: user.id } })
  await countSuccess(ctx, tx, user.id, client.address)
  // Only now: before the proof, anyone could find out who has an account.
  const isRefused = !user.isVerified && !login.admitsUnverified
  if (ctx.config.accounts.loginRequiresVerifiedEmail && isRefused)
    return {
      refused: new ApiError('user_not_verified', { log: { event: 'login.not_verified', userId: user.id } }),
    }
  for (const step of ctx.loginSteps) {
    const refused = await step(ctx, tx, login)
    if (refused) return { refused }
  }
  const isNewClient = await rememberClient(tx, user.id, client.address, ctx.now())
  if (isNewClient) await emailNewLogin(ctx, tx, user, client.address)
  return { tokens: await startSession(ctx, tx, login) }
}

/**
 * Opens a session after the password was verified. Fails if the password was changed or the user was deactivated since
 * then: a stolen password must not open a session just after it was changed.
 */
export async function completeLogin(
  ctx: Context,
  guess: Guess,
  { user: verified, ...counted }: Right,
): ReturnType<typeof startSession> {
  const { credentials, db } = ctx
  const { client, password } = guess
  const newHash = credentials.needsRehash(password, verified.hashedPassword)
    ? await credentials.hash(password, client.address)
    : undefined
  const outcome = await db.transaction(async (tx) => {
    const user = await lockUser(tx, verified.id)
    if (!user) throw new ApiError('invalid_credentials')
    if (user.hashedPassword !== verified.hashedPassword) return { changed: user }
    await uncountAttempts(tx, counted.keys)
    if (newHash === undefined) return openSession(ctx, tx, { user, client })
    const rehashed = await updateUser(tx, user.id, { hashedPassword: newHash })
    return openSession(ctx, tx, { user: rehashed, client })
  })
  if ('changed' in outcome) {
    // A concurrent login may have rehashed the same password.
    const { changed } = outcome
    if (!(await credentials.verify(password, changed.hashedPassword, client.address)))
      throw new ApiError('invalid_credentials')
    return completeLogin(ctx, guess, { ...counted, user: changed })
  }
  await counted.giveBackToAddress()
  if ('refused' in outcome) throw outcome.refused
  return outcome.tokens
}

/**
 * Emails a user that a client logged in which is not familiar: perhaps a thief of the password (ASVS 5.0 section 6.3.5).
 * To a verified address only, because others may belong to strangers.
 */
async function emailNewLogin(ctx: Context, tx: Transaction, user: User, address: string): Promise<void> {
  if (!ctx.config.email.noticeNewLogin || !user.isVerified) return
  // UTC, because the email may be in any language.
  const time = `${new Date(ctx.now()).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  await emailUser(ctx, tx, user, 'new_login', { time, address: withoutLinks(address) })
}
