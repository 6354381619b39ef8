import type { Context } from '../context.ts'
import { uncountAttempts } from '../limits/attempts.ts'
import { countFailure, type Guess } from '../limits/login-limit.ts'
import { canonicalLogin } from '../users/names.ts'
import type { User } from '../users/users.ts'
import { unusablePassword } from './hashes.ts'

/** The user of a right guess, and what it is still counted as: take it back. */
export interface Right {
  user: User
  keys: string[]
  giveBackToAddress: () => Promise<void>
}

type Failures = Omit<Right, 'user'>

/**
 * Checks a password. Every endpoint uses this function, so every guess is counted. Unknown users, inactive users and
 * wrong passwords take the same steps and the same time: a difference would reveal who has an account.
 * @param user the user of the name, if there is one
 * @returns undefined if the password is wrong or the user is not active
 */
export async function checkPassword(
  ctx: Context,
  guess: Guess,
  user: User | undefined,
): Promise<Right | undefined> {
  const { password, client } = guess
  const counted = await countGuess(ctx, guess, user?.id)
  const isDamaged =
    user?.hashedPassword !== unusablePassword && !ctx.credentials.isUsable(user?.hashedPassword ?? '')
  if (user && isDamaged) {
    const entry = { event: 'password.unusable_hash', userId: user.id }
    ctx.log.warn(entry, 'stored hash is damaged or too costly')
  }
  try {
    const isRight = await ctx.credentials.verify(password, user?.hashedPassword, client.address)
    return isRight && user?.isActive ? { user, ...counted } : undefined
  } catch (error) {
    await giveBack(ctx, counted)
    throw error
  }
}

/** Takes back what a guess was counted as, in a transaction of its own. */
export async function giveBack({ db }: Context, { keys, giveBackToAddress }: Failures): Promise<void> {
  await db.transaction((tx) => uncountAttempts(tx, keys), { durable: false })
  await giveBackToAddress()
}

async function countGuess(ctx: Context, guess: Guess, userId: number | undefined): Promise<Failures> {
  const { enabled, loginFailuresPerAddress } = ctx.config.rateLimits
  if (!enabled) return { keys: [], giveBackToAddress: async () => {} }
  const keys = await countFailure(ctx, guess, canonicalLogin(guess.name), userId)
  try {
    const limit = ctx.addressLimits.limit('login', loginFailuresPerAddress)
    return { keys, giveBackToAddress: await limit.take(guess.client.address) }
  } catch (error) {
    await giveBack(ctx, { keys, giveBackToAddress: async () => {} })
    throw error
  }
}
