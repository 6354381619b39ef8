import { and, eq, inArray } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { recoveryCodes } from '../db/schema/recovery-codes.ts'
import { queueEmail, shownName } from '../email/outbox.ts'
import { deriveRing } from '../keys.ts'
import type { User } from '../users/users.ts'
import { codeHashes, createCode } from './codes.ts'

const codesOfUser = 10

const ringOf = ({ config }: Context) => deriveRing(config.accessTokens, 'recovery codes')

export const countRecoveryCodes = (tx: Pick<Transaction, '$count'>, userId: number): Promise<number> =>
  tx.$count(recoveryCodes, eq(recoveryCodes.userId, userId))

/** Replaces the codes of a user whose row is locked. @returns them: 50 random bits each, of which only hashes are stored */
export async function createRecoveryCodes(ctx: Context, tx: Transaction, userId: number): Promise<string[]> {
  const codes = Array.from({ length: codesOfUser }, () => createCode(10, 5))
  const createdAt = new Date(ctx.now())
  const rows = codes.map((text) => ({ userId, code: codeHashes(text, ringOf(ctx))[0], createdAt }))
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  await tx.insert(recoveryCodes).values(rows)
  return codes
}

/** Uses a code up, of this user only, and tells them. @returns whether it was one */
export async function takeRecoveryCode(
  ctx: Context,
  tx: Transaction,
  user: User,
  text: string,
): Promise<boolean> {
  const isCode = inArray(recoveryCodes.code, codeHashes(text, ringOf(ctx)))
  const taken = await tx
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, user.id), isCode))
    .returning({ id: recoveryCodes.id })
  if (taken.length === 0) return false
  const left = String(await countRecoveryCodes(tx, user.id))
  await queueEmail(ctx, tx, {
    to: user.email,
    userId: user.id,
    template: 'recovery_code_used',
    variables: { username: shownName(user), left },
  })
  return true
}
