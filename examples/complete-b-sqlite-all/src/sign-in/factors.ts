import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import * as list from '../factors/index.ts'
import type { User } from '../users/users.ts'

/** What a browser says that a device signed. Not to be trusted: `verifyCredential` reads it. */
export type Credential = Record<string, unknown>

/** What a device has signed: an answer to a challenge, with the row that knows the device. */
export interface Signed {
  id: number
  userId: number
  challenge: string
  counter: number
  isBackedUp: boolean
}

/** What a user adds to their account. Each file of src/factors/ exports one, under its own name. */
export interface Factor {
  /** How answers name it to the client, which asks the user for it. */
  name: string
  /** How emails name it. */
  title: string
  /** Whether it is a second factor: a login by password, by a provider or by an emailed token asks for it. */
  asks: boolean
  /** Whether it lets the user in without anything else. */
  logsIn?: boolean
  /** How many of them a user has. @param since only those that were added then or later */
  count(db: Reader, userId: number, since?: Date): Promise<number>
  /** How many of them let the user in now. Default: all */
  countUsable?(ctx: Context, db: Reader, userId: number): Promise<number>
  /** What GET auth/mfa says about them. */
  state(count: number): { totp?: boolean; passkeys?: number }
  /** Accepts a code, each once. Without it, the factor has no codes. */
  acceptCode?(ctx: Context, tx: Transaction, userId: number, code: string): Promise<boolean>
  /** Uses up a recovery code of a user whose row is locked. */
  acceptRecoveryCode?(ctx: Context, tx: Transaction, user: User, text: string): Promise<boolean>
  countRecoveryCodes?(db: Reader, userId: number): Promise<number>
  /** Verifies what a device signed, outside of a transaction. @returns undefined: it is wrong */
  verifyCredential?(ctx: Context, credential: Credential): Promise<Signed | undefined>
  /** Uses up what was verified, once, of a user whose row is locked. @param asked what the challenge has to be for */
  acceptCredential?(
    ctx: Context,
    tx: Transaction,
    user: User,
    signed: Signed,
    asked: string,
  ): Promise<boolean>
  /** @param since only those that were added then or later. Default: all @returns whether there was one */
  remove(tx: Transaction, userId: number, since?: Date): Promise<boolean>
}

export const factors: Factor[] = Object.values<Factor>(list)

/** The factors that a user has, with their number. @param since only what was added then or later */
export async function factorsOf(
  db: Reader,
  userId: number,
  since?: Date,
): Promise<{ factor: Factor; count: number }[]> {
  const owned: { factor: Factor; count: number }[] = []
  for (const factor of factors) {
    const count = await factor.count(db, userId, since)
    if (count > 0) owned.push({ factor, count })
  }
  return owned
}

/** Whether a user has a second factor. One that does not ask, such as a passkey, is none. */
export const hasFactor = async (db: Reader, userId: number): Promise<boolean> =>
  (await factorsOf(db, userId)).some(({ factor }) => factor.asks)

export async function countRecoveryCodes(db: Reader, userId: number): Promise<number> {
  let sum = 0
  for (const factor of factors) sum += (await factor.countRecoveryCodes?.(db, userId)) ?? 0
  return sum
}

/**
 * Removes factors of a user whose row is locked.
 * @param which Default: all
 * @param since only what was added then or later
 * @returns the names of those that they had
 */
export async function removeFactors(
  tx: Transaction,
  userId: number,
  { which = factors, since }: { which?: Factor[]; since?: Date | undefined } = {},
): Promise<string[]> {
  const removed: string[] = []
  for (const factor of which) if (await factor.remove(tx, userId, since)) removed.push(factor.name)
  return removed
}
