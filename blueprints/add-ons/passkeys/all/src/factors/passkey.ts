import { and, eq, gte } from 'drizzle-orm'
import { passkeys } from '../db/schema/passkeys.ts'
import { acceptSigned, verifySigned } from '../passkeys/verify.ts'
import type { Factor } from '../sign-in/factors.ts'
import { restsOn } from '../sign-in/tokens.ts'

/** Passkeys: a way to log in of their own, which also answers where a code of another factor is asked for. */
export const passkey: Factor = {
  name: 'passkey',
  title: 'a passkey',
  asks: false,
  logsIn: true,
  count: (db, id, since) =>
    db.$count(passkeys, and(eq(passkeys.userId, id), since && gte(passkeys.createdAt, since))),
  state: (count) => ({ passkeys: count }),
  verifyCredential: verifySigned,

  /** For what was asked, and no other login or session of the user. */
  async acceptCredential(ctx, tx, user, signed, asked) {
    const challenge = await acceptSigned(ctx, tx, 'passkey proof', user, signed)
    if (challenge?.userId !== user.id || !restsOn(challenge, user)) return false
    return JSON.parse(challenge.data).asked === asked
  },

  async remove(tx, userId, since) {
    const removed = await tx
      .delete(passkeys)
      .where(and(eq(passkeys.userId, userId), since && gte(passkeys.createdAt, since)))
      .returning({ id: passkeys.id })
    return removed.length > 0
  },
}
