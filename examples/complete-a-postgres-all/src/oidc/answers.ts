import { and, eq } from 'drizzle-orm'
import { queueEmailToken } from '../accounts/request-email.ts'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { isUniqueViolation } from '../db/dialect.ts'
import { identities } from '../db/schema/identities.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Client } from '../limits/address-limit.ts'
import { rememberClient } from '../limits/login-limit.ts'
import { unusablePassword } from '../passwords/hashes.ts'
import { hashToken, insertToken, restsOn, type SignInToken } from '../sign-in/tokens.ts'
import { insertUser, lockUser, type User } from '../users/users.ts'
import { type Claims, readClaims } from './claims.ts'
import { type ConfigurationOf, FlowError, problemOf } from './client.ts'
import { type Flow, randomToken } from './flows.ts'
import type { Provider } from './providers.ts'
import { usernamesFrom } from './usernames.ts'

export type Identity = typeof identities.$inferSelect

/** The purpose of one-time codes: a pending login, or an identity that waits to be added. Never a session. */
export const codePurpose = 'oidc code'
const codeSeconds = 60

/** What a one-time code stands for. */
export interface Waiting {
  challenge: string
  /** The identity that logs in. */
  identityId?: number
  /** The client of the login. */
  client?: Client
  /** What is to be added, and from which provider. */
  claims?: Claims
  provider?: string
  /** Whether the session has proved its second factor for it. */
  isProved?: boolean | undefined
}

/** A one-time code for the front end, and the id of the user if they are new. */
export interface Answered {
  code: string
  registered?: number
}

/**
 * Turns the answer of a provider into a one-time code. Links nothing: an address that is registered stays that of its user,
 * whatever a provider says.
 * @param query of the request, as sent
 * @param countRegistration called before a user is created
 * @throws FlowError, ApiError too_many_requests
 */
export async function answerFlow(
  ctx: Context,
  configurationOf: ConfigurationOf,
  provider: Provider,
  { row, flow, query }: { row: SignInToken; flow: Flow; query: string },
  client: Client,
  countRegistration: () => Promise<unknown>,
): Promise<Answered> {
  const answer = new URL(provider.redirectUri)
  answer.search = query
  const claims = await readClaims(provider, await configurationOf(provider), answer, flow).catch((error) => {
    throw problemOf(error)
  })
  const { challenge } = flow
  if (row.userId !== null) return { code: await waitForLink(ctx, row, flow, provider, claims) }
  const known = await ctx.db.transaction(async (tx) => {
    const identity = await findIdentity(tx, claims)
    const user = identity && (await lockUser(tx, identity.userId))
    return user && { code: await waitForLogin(ctx, tx, user, { challenge, identityId: identity.id, client }) }
  })
  return known ?? register(ctx, provider, claims, { challenge, client }, countRegistration)
}

export async function findIdentity(
  db: Reader,
  { issuer, subject }: Pick<Claims, 'issuer' | 'subject'>,
): Promise<Identity | undefined> {
  const [identity] = await db
    .select()
    .from(identities)
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
  return identity
}

/** @throws FlowError email_missing, account_exists, registration_closed */
async function register(
  ctx: Context,
  provider: Provider,
  claims: Claims,
  waiting: { challenge: string; client: Client },
  countRegistration: () => Promise<unknown>,
): Promise<Answered> {
  const { email } = claims
  if (email === undefined) throw new FlowError('email_missing')
  if (await ctx.users.findByLogin(email)) throw new FlowError('account_exists')
  if (!ctx.config.accounts.registrationEnabled) throw new FlowError('registration_closed')
  await countRegistration()
  for (const username of usernamesFrom(claims.name)) {
    const created = await ctx.db
      .transaction((tx) => createUser(ctx, tx, provider, { ...claims, email, username }, waiting))
      .catch(ignoreTaken)
    if (created) return created
  }
  // The address, which somebody registered meanwhile, or which an undo of a change keeps for its owner.
  throw new FlowError('account_exists')
}

/** A username or an address that is taken, or the same identity at the same moment. */
function ignoreTaken(error: unknown): undefined {
  const isTaken =
    (error instanceof ApiError && error.problem.code === 'already_registered') ||
    isUniqueViolation(error, 'identities_issuer_subject_unique')
  if (!isTaken) throw error
}

async function createUser(
  ctx: Context,
  tx: Transaction,
  provider: Provider,
  { email, username, ...claims }: Claims & { email: string; username: string },
  { challenge, client }: { challenge: string; client: Client },
): Promise<Answered> {
  // A provider that does not check addresses would hand out those of strangers.
  const isVerified = claims.isEmailVerified && provider.isEmailTrusted
  const names = { email, username, hashedPassword: unusablePassword }
  const unclaimedSince = new Date(ctx.now())
  const user = await insertUser(tx, { ...names, isVerified, unclaimedSince }, ctx.now())
  const identity = await insertIdentity(ctx, tx, user, { ...claims, email }, provider.name)
  await rememberClient(tx, user.id, client.address, ctx.now())
  if (!isVerified) await queueEmailToken(ctx, tx, user, 'verification')
  const code = await waitForLogin(ctx, tx, user, { challenge, identityId: identity.id, client })
  return { code, registered: user.id }
}

type Vouched = Pick<Claims, 'issuer' | 'subject'> & { email?: string | null | undefined }

/** Adds an identity to a user whose row is locked or new. */
export async function insertIdentity(
  ctx: Context,
  tx: Transaction,
  { id: userId }: User,
  { issuer, subject, email = null }: Vouched,
  provider: string,
): Promise<Identity> {
  const row = { userId, issuer, subject, provider, email, createdAt: new Date(ctx.now()) }
  const [identity] = await tx.insert(identities).values(row).returning()
  if (!identity) throw new Error('The database returned no row for a new identity')
  return identity
}

/** The user may be inactive: the exchange refuses them. */
const waitForLogin = (ctx: Context, tx: Transaction, user: User, waiting: Waiting): Promise<string> =>
  insertCode(ctx, tx, waiting, { user })

const waitForLink = (
  ctx: Context,
  row: SignInToken,
  { challenge, isProved }: Flow,
  { name: provider }: Provider,
  claims: Claims,
): Promise<string> =>
  ctx.db.transaction(async (tx) => {
    const { userId, sessionId } = row
    const user = userId === null ? undefined : await lockUser(tx, userId)
    if (!user || sessionId === null || !restsOn(row, user)) throw new FlowError('invalid_answer')
    return insertCode(ctx, tx, { challenge, claims, provider, isProved }, { user, sessionId })
  })

async function insertCode(
  ctx: Context,
  tx: Transaction,
  data: Waiting,
  owner: { user: User; sessionId?: number },
): Promise<string> {
  const code = randomToken()
  const token = hashToken(code)
  await insertToken(ctx, tx, { ...owner, token, purpose: codePurpose, data, lifetimeMs: codeSeconds * 1000 })
  return code
}
