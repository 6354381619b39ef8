import { and, eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { recoveryCodes } from '../db/schema/recovery-codes.ts'
import { totpSecrets } from '../db/schema/totp.ts'
import { emailUser } from '../email/outbox.ts'
import { codeHashes, createCode } from '../sign-in/codes.ts'
import type { User } from '../users/users.ts'
import { openSecrets } from './secrets.ts'

const codesOfUser = 10

export const countRecoveryCodes = (db: Reader, userId: number): Promise<number> =>
  db.$count(recoveryCodes, eq(recoveryCodes.userId, userId))

/** The hash of a code of a user with an app; undefined for others. */
async function hashOf(ctx: Context, tx: Transaction, userId: number) {
  const [row] = await tx.select().from(totpSecrets).where(eq(totpSecrets.userId, userId))
  if (!row) return undefined
  const key = Buffer.from(openSecrets(ctx, row.secret).recoveryKey, 'base64url')
  return (text: string) => codeHashes(text, [key])[0]
}

/**
 * Replaces the codes of a user whose row is locked.
 * @returns them: 50 random bits each, of which only hashes are stored; none without an app
 */
export async function createRecoveryCodes(ctx: Context, tx: Transaction, userId: number): Promise<string[]> {
  const hash = await hashOf(ctx, tx, userId)
  if (!hash) return []
  const codes = Array.from({ length: codesOfUser }, () => createCode(10, 5))
  const createdAt = new Date(ctx.now())
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  await tx.insert(recoveryCodes).values(codes.map((text) => ({ userId, code: hash(text), createdAt })))
  return codes
}

/** Uses a code up, of this user only, and tells them. @returns whether it was one */
export async function takeRecoveryCode(
  ctx: Context,
  tx: Transaction,
  user: User,
  text: string,
): Promise<boolean> {
  const hash = await hashOf(ctx, tx, user.id)
  if (!hash) return false
  const taken = await tx
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, user.id), eq(recoveryCodes.code, hash(text))))
    .returning({ id: recoveryCodes.id })
  if (taken.length === 0) return false
  const left = String(await countRecoveryCodes(tx, user.id))
  await emailUser(ctx, tx, user, 'recovery_code_used', { left })
  return true
}
