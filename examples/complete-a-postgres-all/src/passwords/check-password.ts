import type { Context } from '../context.ts'
import { countFailure, type Failures, takeBackFailures } from '../limits/login-limit.ts'
import { canonicalLogin } from '../users/names.ts'
import type { User } from '../users/users.ts'
import { isUsableHash, unusablePassword } from './hashes.ts'

export interface PasswordGuess {
  /** The name as typed, or the username of a logged-in user. The guess counts for its canonical form. */
  name: string
  /** The user of that name, if there is one. */
  user: User | undefined
  password: string
  /** IP address of the client. */
  address: string
  /** The client has a session of the user. */
  isLoggedIn?: boolean
}

/** A guess that was right. */
export interface RightPassword {
  user: User
  /** What the guess is still counted as: take it back. */
  failures: Failures
}

/**
 * Checks a password. Every endpoint uses this function, so every guess is counted. Unknown users, inactive users and
 * wrong passwords take the same steps and the same time: a difference would reveal who has an account.
 * @returns undefined if the password is wrong or the user is not active
 */
export async function checkPassword(ctx: Context, guess: PasswordGuess): Promise<RightPassword | undefined> {
  const { user, password, address } = guess
  const failures = await countGuess(ctx, guess)
  const isDamaged = user?.hashedPassword !== unusablePassword && !isUsableHash(user?.hashedPassword ?? '')
  if (user && isDamaged) {
    const entry = { event: 'password.unusable_hash', userId: user.id }
    ctx.log.warn(entry, 'stored hash is damaged or too costly')
  }
  try {
    const isRight = await ctx.credentials.verify(password, user?.hashedPassword, address)
    return isRight && user?.isActive ? { user, failures } : undefined
  } catch (error) {
    await giveBack(ctx, failures)
    throw error
  }
}

/** Takes back what a guess was counted as, in a transaction of its own. */
export async function giveBack({ db }: Context, failures: Failures): Promise<void> {
  await db.transaction((tx) => takeBackFailures(tx, failures), { durable: false })
  await failures.giveBackToAddress()
}

async function countGuess(ctx: Context, guess: PasswordGuess): Promise<Failures> {
  const { name, user, address, isLoggedIn } = guess
  const { enabled, loginFailuresPerAddress } = ctx.config.rateLimits
  if (!enabled) return { keys: [], giveBackToAddress: async () => {} }
  const attempt = { account: canonicalLogin(name), userId: user?.id, address, isLoggedIn }
  const keys = await countFailure(ctx, attempt)
  try {
    const limit = ctx.addressLimits.limit('login', loginFailuresPerAddress)
    return { keys, giveBackToAddress: await limit.take(address) }
  } catch (error) {
    await giveBack(ctx, { keys, giveBackToAddress: async () => {} })
    throw error
  }
}
