import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { requireCounted, takeAttempts, uncountAttempts } from '../limits/attempts.ts'
import type { User } from '../users/users.ts'
import { factors } from './factors.ts'
import { takeRecoveryCode } from './recovery-codes.ts'

/** Wrong codes of a user in an hour, at all endpoints together: a million guesses find a code of six digits. */
const maxWrongCodes = 10

const kind = 'wrong code'

/** What a user sends: one of the two. */
export interface Proof {
  code?: string | undefined
  recoveryCode?: string | undefined
}

/**
 * Counts a code as wrong before it is checked, for a user whose row is locked. Commit the transaction if it is wrong.
 * @returns the keys of its counts, for `uncountAttempts` if it is right
 * @throws ApiError too_many_requests, even for a right code
 */
export async function countCode(ctx: Context, tx: Transaction, { id }: User): Promise<string[]> {
  if (!ctx.config.rateLimits.enabled) return []
  const attempt = { kind, account: String(id), max: maxWrongCodes, windowMs: 60 * 60_000 }
  const taken = await takeAttempts(tx, [attempt], ctx.now())
  for (const each of taken) requireCounted(each, kind)
  return taken.map(({ key }) => key)
}

/** Uses up a code of a factor, or a recovery code, of a user whose row is locked. @returns whether it is right */
export async function proveCode(ctx: Context, tx: Transaction, user: User, proof: Proof): Promise<boolean> {
  const keys = await countCode(ctx, tx, user)
  const { code = '', recoveryCode } = proof
  const isRight =
    recoveryCode === undefined
      ? await isAccepted(ctx, tx, user, code)
      : await takeRecoveryCode(ctx, tx, user, recoveryCode)
  if (isRight) await uncountAttempts(tx, keys)
  return isRight
}

async function isAccepted(ctx: Context, tx: Transaction, { id }: User, code: string): Promise<boolean> {
  for (const { acceptCode } of factors) if (await acceptCode?.(ctx, tx, id, code)) return true
  return false
}
