import { createHash } from 'node:crypto'
import { and, eq, gt, inArray, ne } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { signInTokens } from '../db/schema/sign-in-tokens.ts'
import { giveUpEmails } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { lockUser, type User } from '../users/users.ts'

export type SignInToken = typeof signInTokens.$inferSelect

/** The purpose of a reset's token after the reset. The end of all sessions must not take the owner this way back. */
export const additionsPurpose = 'additions'

/** SHA-256 without a key is enough for 256 random bits. */
export const hashToken = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What the tokens of a user rest on: after a change of the password or the address, those from before are void. */
const basisOf = ({ hashedPassword, email }: User): string =>
  hashToken(JSON.stringify([hashedPassword, email]))

interface NewToken {
  /** Its hash. */
  token: string
  purpose: string
  /** Without one, it belongs to nobody yet. */
  user?: User
  sessionId?: number
  data?: object
  lifetimeMs: number
}

/** Stores a token. The row of its user is locked. */
export async function insertToken({ now }: Context, tx: Transaction, given: NewToken): Promise<void> {
  const { user, data, lifetimeMs, ...row } = given
  await tx.insert(signInTokens).values({
    ...row,
    userId: user?.id ?? null,
    data: JSON.stringify({ ...data, basis: user && basisOf(user) }),
    createdAt: new Date(now()),
    expiresAt: new Date(now() + lifetimeMs),
  })
}

const isLive = ({ now }: Context, purpose: string, hashes: string[]) =>
  and(
    eq(signInTokens.purpose, purpose),
    inArray(signInTokens.token, hashes),
    gt(signInTokens.expiresAt, new Date(now())),
  )

/** Finds a live token of a purpose by one of its hashes. Call `restsOn` when the row of its user is locked. */
export async function findToken(
  ctx: Context,
  db: Reader,
  purpose: string,
  hashes: string[],
): Promise<SignInToken | undefined> {
  const [found] = await db
    .select()
    .from(signInTokens)
    .where(isLive(ctx, purpose, hashes))
  return found
}

/** Uses a live token up, in one statement: of several uses at once, at any instance, one finds it. */
export async function takeToken(
  ctx: Context,
  tx: Transaction,
  purpose: string,
  hash: string,
): Promise<SignInToken | undefined> {
  const [taken] = await tx
    .delete(signInTokens)
    .where(isLive(ctx, purpose, [hash]))
    .returning()
  return taken
}

/** Whether what a token rests on is still as it was. For another user it never was: no two have the same address. */
export const restsOn = ({ data }: SignInToken, user: User): boolean =>
  JSON.parse(data).basis === basisOf(user)

/** A token that works, and the locked row of its user. */
export type LockedToken = { token: SignInToken; user: User }

/**
 * Locks the user of a live token, and reads again what it rests on: they may have been deactivated, or their password or
 * address changed, since then (Keycloak CVE-2026-16103). @param asOf the user as the token rests on them
 */
export async function lockToken(
  tx: Transaction,
  find: () => Promise<SignInToken | undefined>,
  asOf = (user: User) => user,
): Promise<LockedToken | undefined> {
  const { userId } = (await find()) ?? {}
  const user = userId ? await lockUser(tx, userId) : undefined
  // Again, now that no concurrent use can consume it.
  const token = await find()
  return token && user?.isActive && restsOn(token, asOf(user)) ? { token, user } : undefined
}

export async function deleteToken(tx: Transaction, { id }: SignInToken): Promise<void> {
  await tx.delete(signInTokens).where(eq(signInTokens.id, id))
}

/**
 * Ends what waits for a user: otherwise a thief would finish a login after the owner has locked them out.
 * @param sessionIds only what these sessions asked for
 */
export async function endTokens(
  ctx: Context,
  tx: Transaction,
  userId: number,
  sessionIds?: number[],
): Promise<void> {
  const asked = sessionIds && inArray(signInTokens.sessionId, sessionIds)
  const ended = await tx
    .delete(signInTokens)
    .where(and(eq(signInTokens.userId, userId), ne(signInTokens.purpose, additionsPurpose), asked))
    .returning({ id: signInTokens.id })
  if (ended.length > 0) await giveUpCodes(ctx, tx, userId)
}

/** Gives up emails whose codes are void, unless one of another session still works: it would never arrive. */
export async function giveUpCodes(ctx: Context, tx: Transaction, userId: number): Promise<void> {
  const isCode = and(eq(signInTokens.userId, userId), eq(signInTokens.purpose, 'emailed'))
  if ((await tx.$count(signInTokens, isCode)) === 0) await giveUpEmails(ctx, tx, userId, ['sign_in'])
}

/** Runs a change that also writes what a refusal counts: the transaction commits, and only then the refusal is thrown. */
export async function committed<Result>(
  { db }: Context,
  run: (tx: Transaction) => Promise<Result | ApiError>,
): Promise<Result> {
  const outcome = await db.transaction(run)
  if (outcome instanceof ApiError) throw outcome
  return outcome
}
