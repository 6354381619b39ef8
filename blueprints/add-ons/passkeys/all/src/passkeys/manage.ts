import { and, eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { passkeys } from '../db/schema/passkeys.ts'
import { emailUser, withoutLinks } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { type Confirmation, removeWayIn } from '../sign-in/ways-in.ts'
import type { Passkey } from './relying-party.ts'

const ofUser = (id: number, userId: number) => and(eq(passkeys.id, id), eq(passkeys.userId, userId))

/** Gives a passkey of a caller another name. @throws ApiError not_found, invalid_token */
export const renamePasskey = (ctx: Context, caller: Caller, id: number, name: string): Promise<Passkey> =>
  ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    const [renamed] = await tx.update(passkeys).set({ name }).where(ofUser(id, user.id)).returning()
    if (!renamed) throw new ApiError('not_found')
    return renamed
  })

/**
 * Removes a passkey of a caller, with a proof of their second factor or, without one, an emailed token.
 * @throws ApiError as `removeWayIn`
 */
export const removePasskey = (
  ctx: Context,
  caller: Caller,
  id: number,
  confirmation: Confirmation,
): Promise<void> =>
  removeWayIn(ctx, caller, confirmation, {
    find: async (db, userId) => (await db.select().from(passkeys).where(ofUser(id, userId)))[0],
    async remove(tx, user, { name }) {
      await tx.delete(passkeys).where(ofUser(id, user.id))
      await emailUser(ctx, tx, user, 'passkey_removed', { name: withoutLinks(name) })
    },
  })
