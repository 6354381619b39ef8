import { and, desc, eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { identities } from '../db/schema/identities.ts'
import { emailUser } from '../email/outbox.ts'
import type { Caller } from '../sessions/caller.ts'
import { type Confirmation, confirmAddition, removeWayIn } from '../sign-in/ways-in.ts'
import type { Identity } from './answers.ts'
import { type Asked, createFlow } from './flows.ts'
import { issuersOf, type Provider, routeOf } from './providers.ts'

/**
 * Begins a flow that adds an identity.
 * @returns the address that the browser opens, because the cookie of the flow belongs there
 * @throws ApiError as `confirmAddition`
 */
export const startLink = (
  ctx: Context,
  caller: Caller,
  provider: Provider,
  asked: Asked,
  confirmation: Confirmation,
): Promise<string> =>
  confirmAddition(ctx, caller, confirmation, async (tx, user, isProved) => {
    const linking = { user, sessionId: caller.sessionId, isProved }
    const { state } = await createFlow(ctx, tx, provider, asked, linking)
    return `${routeOf(ctx.config, provider.name)}?link=${state}`
  })

/** The identities of a user, newest first. */
export const identitiesOf = ({ db }: Context, userId: number): Promise<Identity[]> =>
  db.read.select().from(identities).where(eq(identities.userId, userId)).orderBy(desc(identities.id))

/**
 * Removes an identity of a caller.
 * @throws ApiError as `removeWayIn`
 */
export function removeIdentity(
  ctx: Context,
  caller: Caller,
  id: number,
  confirmation: Confirmation,
): Promise<void> {
  const ofUser = (userId: number) => and(eq(identities.id, id), eq(identities.userId, userId))
  return removeWayIn(ctx, caller, confirmation, {
    find: async (db, userId) => (await db.select().from(identities).where(ofUser(userId)))[0],
    isUsable: ({ issuer }) => issuersOf(ctx.config).includes(issuer),
    async remove(tx, user, { provider }) {
      await tx.delete(identities).where(ofUser(user.id))
      await emailUser(ctx, tx, user, 'identity_removed', { provider })
    },
  })
}
