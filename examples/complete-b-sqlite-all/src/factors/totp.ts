import { and, eq, gte, lt } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { totpSecrets } from '../db/schema/totp.ts'
import { deriveRing, seal, unseal } from '../keys.ts'
import type { Factor } from '../sign-in/factors.ts'
import { stepOf } from '../totp/codes.ts'

/** Encrypts secrets. */
export const ringOf = ({ config }: Context) => deriveRing(config.accessTokens, 'totp')

/** Codes of an authenticator app. */
export const totp: Factor = {
  name: 'totp',
  asks: true,
  count: (db, userId) => db.$count(totpSecrets, eq(totpSecrets.userId, userId)),
  state: () => ({ totp: true }),

  /**
   * Each step once, also at two instances whose clocks differ: the condition is in the update, so that no other use comes in
   * between (RFC 6238 section 5.2). Encrypts the secret again, with the newest key.
   */
  async acceptCode(ctx, tx, userId, code) {
    const [row] = await tx.select().from(totpSecrets).where(eq(totpSecrets.userId, userId))
    if (!row) return false
    const secret = unseal(row.secret, ringOf(ctx))
    const step = stepOf(secret, code, ctx.now())
    if (step === undefined) return false
    const accepted = await tx
      .update(totpSecrets)
      .set({ lastStep: step, secret: seal(secret, ringOf(ctx)) })
      .where(and(eq(totpSecrets.userId, userId), lt(totpSecrets.lastStep, step)))
      .returning({ userId: totpSecrets.userId })
    return accepted.length === 1
  },

  remove: (tx, userId, since) =>
    tx
      .delete(totpSecrets)
      .where(and(eq(totpSecrets.userId, userId), since && gte(totpSecrets.createdAt, since))),
}
