import { and, eq, gt } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { attempts } from '../db/schema/attempts.ts'
import { emailUser } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { clientOf } from '../limits/address-limit.ts'
import { attemptKeys, forgetAttempts, takeAttempts, uncountAttempts } from '../limits/attempts.ts'
import type { Caller } from '../sessions/caller.ts'
import type { EndsWithSessions } from '../sessions/sessions.ts'
import { isSessionOf, liveSessions, sessions } from '../sessions/store.ts'
import type { User } from '../users/users.ts'
import { type Credential, factors, type Signed } from './factors.ts'

/** Wrong codes of a user in a day, at all endpoints together: a million guesses find a code of six digits. */
const maxWrongCodes = 20

const dayMs = 24 * 60 * 60_000
const kind = 'wrong code'
const passedKind = 'client with second factor'

/** What a user sends: one of the three. Of several, only the first is checked. */
export interface Proof {
  code?: string | undefined
  recoveryCode?: string | undefined
  credential?: Credential | undefined
  /** IP address of the client. */
  address: string
  /** The pending login or the session that has to be proved: a challenge for another one does not count. */
  asked: string
}

/** What was found out before the transaction of a proof. */
export interface Checked {
  /** The keys of the counts. */
  keys: string[]
  signed?: Signed | undefined
}

export const ofLogin = (id: number): string => `login ${id}`
export const ofSession = ({ sessionId }: Caller): string => `session ${sessionId}`

/**
 * Verifies a credential. Counts a code as wrong before it is checked, in a transaction of its own: no failure afterwards takes the count back, and
 * concurrent guesses cannot exceed the limit. A client that has passed the second factor has a count of its own: a thief
 * of the password cannot lock the owner out. What cannot be guessed is not counted.
 * @returns what `prove` needs
 * @throws ApiError too_many_requests, even for a right code
 */
export async function checkProof(ctx: Context, user: User, proof: Proof): Promise<Checked> {
  const { code, recoveryCode, credential, address } = proof
  if (code === undefined && recoveryCode === undefined && credential)
    return { keys: [], signed: await verifyCredential(ctx, credential) }
  if (code === undefined || !ctx.config.rateLimits.enabled) return { keys: [] }
  const [account, now] = [String(user.id), ctx.now()]
  const taken = await ctx.db.transaction(async (tx) => {
    const { key } = attemptKeys(passedKind, account, clientOf(address))
    const hasPassed = await tx.$count(
      attempts,
      and(eq(attempts.key, key), gt(attempts.endsAt, new Date(now))),
    )
    const client = hasPassed > 0 ? clientOf(address) : ''
    const all = { kind, account, client, max: maxWrongCodes, windowMs: dayMs }
    const [counted] = await takeAttempts(tx, [all], now)
    if (counted?.refusedFor === undefined) return counted
    const [notice] = await takeAttempts(tx, [{ ...all, client: 'notice', max: 1 }], now)
    if (notice?.refusedFor === undefined) await emailUser(ctx, tx, user, 'wrong_codes')
    return counted
  })
  if (taken?.refusedFor !== undefined)
    throw new ApiError('too_many_requests', {
      detail:
        'Too many wrong codes. A recovery code, a passkey or a reset of the password lets you in at once',
      retryAfter: taken.refusedFor,
      log: { userId: user.id, limit: kind },
    })
  return { keys: taken ? [taken.key] : [] }
}

async function verifyCredential(ctx: Context, credential: Credential): Promise<Signed | undefined> {
  for (const factor of factors) {
    const signed = await factor.verifyCredential?.(ctx, credential)
    if (signed) return signed
  }
  return undefined
}

/**
 * Uses up what a user has sent, of a user whose row is locked.
 * @param checked what `checkProof` returned
 * @returns how the session was proved (its `amr`); undefined: it is wrong
 */
export async function prove(
  ctx: Context,
  tx: Transaction,
  user: User,
  proof: Proof,
  checked: Checked,
): Promise<string | undefined> {
  const method = await acceptedMethod(ctx, tx, user, proof, checked)
  if (method !== undefined) await recordPass(ctx, tx, user, proof, checked)
  return method
}

async function acceptedMethod(
  ctx: Context,
  tx: Transaction,
  user: User,
  { code, recoveryCode, asked }: Proof,
  { signed }: Checked,
): Promise<string | undefined> {
  for (const { acceptCode, acceptRecoveryCode, acceptCredential } of factors) {
    if (code !== undefined) {
      if (await acceptCode?.(ctx, tx, user.id, code)) return 'otp'
    } else if (recoveryCode !== undefined) {
      if (await acceptRecoveryCode?.(ctx, tx, user, recoveryCode)) return 'recovery'
    } else if (signed && (await acceptCredential?.(ctx, tx, user, signed, asked))) return 'pop user'
  }
  return undefined
}

/** Takes the count of a right code back, and remembers the client for 30 days. */
export async function recordPass(
  { now }: Context,
  tx: Transaction,
  { id }: User,
  { address }: Proof,
  { keys }: Checked,
): Promise<void> {
  await uncountAttempts(tx, keys)
  const set = { endsAt: new Date(now() + 30 * dayMs) }
  const client = { ...attemptKeys(passedKind, String(id), clientOf(address)), count: 1, ...set }
  await tx.insert(attempts).values(client).onConflictDoUpdate({ target: attempts.key, set })
}

/** When no session is left, no client counts as the owner's: a thief may have passed the second factor too. */
export const forgetPassed: EndsWithSessions = async ({ now }, tx, userId, sessionIds) => {
  if (sessionIds) return
  const left = await tx.$count(sessions, and(isSessionOf(userId), liveSessions(now())))
  if (left === 0) await forgetAttempts(tx, passedKind, [String(userId)])
}

/** A reset of the password lets the owner in at once, whatever a thief has guessed. */
export const forgetWrongCodes = (tx: Transaction, { id }: User): Promise<void> =>
  forgetAttempts(tx, kind, [String(id)])
