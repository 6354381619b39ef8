import { and, eq, gte, lt } from 'drizzle-orm'
import { recoveryCodes } from '../db/schema/recovery-codes.ts'
import { totpSecrets } from '../db/schema/totp.ts'
import type { Factor } from '../sign-in/factors.ts'
import { stepOf } from '../totp/codes.ts'
import { countRecoveryCodes, takeRecoveryCode } from '../totp/recovery-codes.ts'
import { openSecrets } from '../totp/secrets.ts'

/** Codes of an authenticator app, and the recovery codes that come and go with it. */
export const totp: Factor = {
  name: 'totp',
  title: 'an authenticator app',
  asks: true,
  count: (db, id, since) =>
    db.$count(totpSecrets, and(eq(totpSecrets.userId, id), since && gte(totpSecrets.createdAt, since))),
  state: () => ({ totp: true }),

  /**
   * Each step once, also at two instances whose clocks differ: the condition is in the update, so that no other use comes in
   * between (RFC 6238 section 5.2).
   */
  async acceptCode(ctx, tx, userId, code) {
    const [row] = await tx.select().from(totpSecrets).where(eq(totpSecrets.userId, userId))
    if (!row) return false
    const step = stepOf(openSecrets(ctx, row.secret).secret, code, ctx.now())
    if (step === undefined) return false
    const accepted = await tx
      .update(totpSecrets)
      .set({ lastStep: step })
      .where(and(eq(totpSecrets.userId, userId), lt(totpSecrets.lastStep, step)))
      .returning({ userId: totpSecrets.userId })
    return accepted.length === 1
  },

  acceptRecoveryCode: takeRecoveryCode,
  countRecoveryCodes,

  /** Recovery codes without an app would let in whoever has found the list. */
  async remove(tx, userId, since) {
    const removed = await tx
      .delete(totpSecrets)
      .where(and(eq(totpSecrets.userId, userId), since && gte(totpSecrets.createdAt, since)))
      .returning({ userId: totpSecrets.userId })
    const isNew = since && removed.length === 0 ? gte(recoveryCodes.createdAt, since) : undefined
    await tx.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), isNew))
    return removed.length > 0
  },
}
