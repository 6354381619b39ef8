import { and, asc, eq, gt } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { totpSecrets } from '../db/schema/totp.ts'
import { deriveRing, type KeyRing, seal, unseal } from '../keys.ts'

/** What a row of an app seals. */
export interface AppSecrets {
  /** The secret of the app, in base32. */
  secret: string
  /** Keys the hashes of the user's recovery codes, in base64url: without the row, no guess can be checked. */
  recoveryKey: string
}

const ringOf = ({ config }: Context) => deriveRing(config.accessTokens, 'totp')

export const sealSecrets = (ctx: Context, secrets: AppSecrets): string =>
  seal(JSON.stringify(secrets), ringOf(ctx))

export const openSecrets = (ctx: Context, sealed: string): AppSecrets =>
  JSON.parse(unseal(sealed, ringOf(ctx)))

const batchSize = 100

/**
 * Seals rows of a former secret anew, so that it need not be listed for ever, and logs when none is left.
 * @param stop ends it after the current row
 */
export async function resealSecrets(ctx: Context, stop?: AbortSignal): Promise<void> {
  const { db, log } = ctx
  const ring = ringOf(ctx)
  if (ring.length === 1) return
  let [count, from, isLast] = [0, 0, false]
  while (!isLast) {
    const { userId: id } = totpSecrets
    const rows = await db.read
      .select()
      .from(totpSecrets)
      .where(gt(id, from))
      .orderBy(asc(id))
      .limit(batchSize)
    for (const { userId, secret: sealed } of rows) {
      if (stop?.aborted) return
      if (opens(sealed, [ring[0]])) continue
      const secret = seal(unseal(sealed, ring), ring)
      // Not if it was replaced in the meantime.
      const isSame = and(eq(id, userId), eq(totpSecrets.secret, sealed))
      await db.transaction((tx) => tx.update(totpSecrets).set({ secret }).where(isSame))
      count += 1
    }
    from = rows.at(-1)?.userId ?? from
    isLast = rows.length < batchSize
  }
  log.info({ event: 'totp.resealed', count }, 'no app needs a former secret any more')
}

function opens(sealed: string, ring: KeyRing): boolean {
  try {
    return unseal(sealed, ring) !== ''
  } catch {
    return false
  }
}
