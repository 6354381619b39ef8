import { and, eq } from 'drizzle-orm'
import { queueEmailToken } from '../accounts/request-email.ts'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { identities } from '../db/schema/identities.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Client } from '../limits/address-limit.ts'
import { rememberClient } from '../limits/login-limit.ts'
import { unusablePassword } from '../passwords/hashes.ts'
import { hashToken, insertToken, lockToken, type SignInToken } from '../sign-in/tokens.ts'
import { isUsername, madeUsername } from '../users/names.ts'
import { insertUser, lockUser, type User } from '../users/users.ts'
import type { Claims } from './claims.ts'
import { FlowError } from './client.ts'
import { type Flow, randomToken } from './flows.ts'
import type { Provider } from './providers.ts'

export type Identity = typeof identities.$inferSelect

/** The purpose of one-time codes: a pending login, or an identity that waits to be added. Never a session. */
export const codePurpose = 'oidc code'
const codeSeconds = 60

/** What a one-time code stands for: a login or, if its row has a session, an identity to add. */
export interface Waiting extends Pick<Flow, 'challenge' | 'provider' | 'isProved'> {
  claims: Claims
  client: Client
}

/** A one-time code for the front end, and the id of the user if they are new. */
export interface Answered {
  code: string
  registered?: number
}

/**
 * Turns what a provider vouches for into a one-time code. Links nothing: an address that is registered stays that of its
 * user, whatever a provider says.
 * @param countRegistration called before a user is created
 * @throws FlowError, ApiError too_many_requests
 */
export async function answerFlow(
  ctx: Context,
  provider: Provider,
  { row, flow }: { row: SignInToken; flow: Flow },
  { claims, client }: Pick<Waiting, 'claims' | 'client'>,
  countRegistration: () => Promise<unknown>,
): Promise<Answered> {
  const waiting = { ...flow, claims, client }
  const code = await ctx.db.transaction(async (tx) => {
    if (row.userId !== null) {
      const locked = await lockToken(tx, async () => row)
      if (!locked || row.sessionId === null) throw new FlowError('invalid_answer')
      return insertCode(ctx, tx, waiting, { user: locked.user, sessionId: row.sessionId })
    }
    const identity = await findIdentity(tx, claims)
    // They may be inactive: the exchange refuses them.
    const user = identity && (await lockUser(tx, identity.userId))
    return user && insertCode(ctx, tx, waiting, { user })
  })
  return code ? { code } : register(ctx, provider, waiting, countRegistration)
}

export async function findIdentity(db: Reader, claims: Claims): Promise<Identity | undefined> {
  const isIt = and(eq(identities.issuer, claims.issuer), eq(identities.subject, claims.subject))
  return (await db.select().from(identities).where(isIt))[0]
}

/** @throws FlowError email_missing, account_exists, registration_closed */
async function register(
  ctx: Context,
  { isEmailTrusted }: Provider,
  waiting: Waiting,
  countRegistration: () => Promise<unknown>,
): Promise<Answered> {
  const { email, isEmailVerified, name } = waiting.claims
  if (email === undefined) throw new FlowError('email_missing')
  if (await ctx.users.findByLogin(email)) throw new FlowError('account_exists')
  if (!ctx.config.accounts.registrationEnabled) throw new FlowError('registration_closed')
  await countRegistration()
  // A provider that does not check addresses would hand out those of strangers.
  const isVerified = isEmailVerified && isEmailTrusted
  for (const username of usernamesFrom(name)) {
    const names = { email, username, isVerified }
    const created = await ctx.db.transaction((tx) => createUser(ctx, tx, names, waiting)).catch(ignoreTaken)
    if (created) return created
  }
  // The address, which somebody registered meanwhile, or which an undo of a change keeps for its owner.
  throw new FlowError('account_exists')
}

/**
 * Usernames for a new user, of which the first that is free is theirs. Of the name at the provider, in ASCII: letters that
 * look like those of another user are dropped, not replaced by what they look like.
 */
function usernamesFrom(name: string): string[] {
  const kept = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 32)
  const trimmed = kept.replaceAll(/^[._-]+|[._-]+$/g, '')
  return isUsername(trimmed) ? [trimmed, madeUsername()] : [madeUsername()]
}

/** A username or an address that is taken, or the same identity at the same moment. */
function ignoreTaken(error: unknown): undefined {
  const code = error instanceof ApiError && error.problem.code
  if (code !== 'already_registered' && code !== 'already_linked') throw error
}

async function createUser(
  ctx: Context,
  tx: Transaction,
  names: Pick<User, 'email' | 'username' | 'isVerified'>,
  waiting: Waiting,
): Promise<Answered> {
  const unclaimedSince = new Date(ctx.now())
  const row = { ...names, hashedPassword: unusablePassword, unclaimedSince }
  const user = await insertUser(tx, row, ctx.now())
  await insertIdentity(ctx, tx, user, waiting)
  await rememberClient(tx, user.id, waiting.client.address, ctx.now())
  if (!user.isVerified) await queueEmailToken(ctx, tx, user, 'verification')
  return { code: await insertCode(ctx, tx, waiting, { user }), registered: user.id }
}

/** Adds an identity to a user whose row is locked or new. @throws ApiError already_linked */
export async function insertIdentity(
  ctx: Context,
  tx: Transaction,
  { id: userId }: User,
  { claims: { issuer, subject, email }, provider }: Waiting,
): Promise<void> {
  const createdAt = new Date(ctx.now())
  const row = { userId, issuer, subject, provider, email, createdAt }
  const inserted = await tx.insert(identities).values(row).onConflictDoNothing().returning()
  if (inserted.length === 0) throw new ApiError('already_linked')
}

async function insertCode(
  ctx: Context,
  tx: Transaction,
  { challenge, provider, isProved, claims, client }: Waiting,
  owner: { user: User; sessionId?: number },
): Promise<string> {
  const code = randomToken()
  const data = { challenge, provider, isProved, claims, client }
  const given = { token: hashToken(code), purpose: codePurpose, data, lifetimeMs: codeSeconds * 1000 }
  await insertToken(ctx, tx, { ...owner, ...given })
  return code
}
