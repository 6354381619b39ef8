import { and, desc, eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { identities } from '../db/schema/identities.ts'
import { emailUser } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { requireEmailedToken } from '../sign-in/enrolments.ts'
import { hasFactor } from '../sign-in/factors.ts'
import { checkProof, prove } from '../sign-in/prove.ts'
import { hashToken, insertToken, restsOn, takeToken } from '../sign-in/tokens.ts'
import { type Confirmation, removeWayIn } from '../sign-in/ways-in.ts'
import { lockUser } from '../users/users.ts'
import type { Identity } from './answers.ts'
import { FlowError } from './client.ts'
import { type Asked, flowSeconds, type Linking, randomToken } from './flows.ts'
import { type Provider, readProviders, routeOf } from './providers.ts'

/** What a session has confirmed, until its browser opens the provider. */
const purpose = 'oidc link'

/**
 * Prepares the flow that adds an identity. It takes the emailed token and, of a user with a second factor, a proof of it:
 * otherwise a stolen token would be enough for a way in that stays. The emailed token is used up when the identity is added.
 * @returns the address that the browser opens, because the cookie of the flow belongs there
 * @throws ApiError user_not_verified, emailed_token_required, invalid_or_expired_token, reauthentication_required,
 * invalid_code, invalid_token, too_many_requests
 */
export async function startLink(
  ctx: Context,
  caller: Caller,
  { name: provider }: Provider,
  asked: Asked,
  { emailedToken, proof }: Confirmation,
): Promise<string> {
  await requireEmailedToken(ctx, caller, emailedToken)
  const isProved = await hasFactor(ctx.db.read, caller.user.id)
  const checked = isProved ? await checkProof(ctx, caller.user, proof) : { keys: [] }
  const link = randomToken()
  await ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    // A factor that came meanwhile was not asked for: its code would not be counted.
    const isWrong = isProved ? !(await prove(ctx, tx, user, proof, checked)) : await hasFactor(tx, user.id)
    if (isWrong) throw new ApiError('invalid_code')
    const owner = { user, sessionId: caller.sessionId }
    const data = { ...asked, provider, isProved }
    const token = hashToken(link)
    await insertToken(ctx, tx, { ...owner, token, purpose, data, lifetimeMs: flowSeconds * 1000 })
  })
  return `${routeOf(ctx.config, provider)}?link=${link}`
}

/**
 * Uses up what `startLink` has prepared.
 * @throws FlowError invalid_answer
 */
export const openLink = (ctx: Context, provider: Provider, link: string) =>
  ctx.db.transaction(async (tx): Promise<{ asked: Asked; linking: Linking }> => {
    const row = await takeToken(ctx, tx, purpose, hashToken(link))
    const user = row?.userId ? await lockUser(tx, row.userId) : undefined
    if (!user || !row?.sessionId || !restsOn(row, user)) throw new FlowError('invalid_answer')
    const { provider: name, isProved, ...asked } = JSON.parse(row.data)
    if (name !== provider.name) throw new FlowError('invalid_answer')
    return { asked, linking: { user, sessionId: row.sessionId, isProved } }
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
  const issuers = readProviders(ctx.config).map(({ issuer }) => issuer)
  const ofUser = (userId: number) => and(eq(identities.id, id), eq(identities.userId, userId))
  return removeWayIn(ctx, caller, confirmation, {
    find: async (db, userId) => (await db.select().from(identities).where(ofUser(userId)))[0],
    isUsable: ({ issuer }) => issuers.includes(issuer),
    async remove(tx, user, { provider }) {
      await tx.delete(identities).where(ofUser(user.id))
      await emailUser(ctx, tx, user, 'identity_removed', { provider })
    },
  })
}
