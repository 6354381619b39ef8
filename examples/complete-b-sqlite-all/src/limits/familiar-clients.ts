import { and, eq, gt } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { attempts } from '../db/schema/attempts.ts'
import { clientOf } from './address-limit.ts'
import { attemptKeys, forgetAttempts } from './attempts.ts'

/** How long a client stays familiar after its last login to an account. */
const familiarMs = 30 * 24 * 60 * 60_000

const kind = 'familiar client'

/** A client is remembered as a hash, beside the attempts. */
const keysOf = (userId: number | undefined, address: string) =>
  attemptKeys(kind, String(userId), clientOf(address))

/** Whether this client has logged in to the account in the last 30 days. Without a user, the same query. */
export async function isFamiliar(
  tx: Transaction,
  userId: number | undefined,
  address: string,
  now: number,
): Promise<boolean> {
  const { key } = keysOf(userId, address)
  const found = await tx
    .select({ key: attempts.key })
    .from(attempts)
    .where(and(eq(attempts.key, key), gt(attempts.endsAt, new Date(now))))
  return found.length > 0
}

/** Remembers a client that has proved to know the password. */
export async function rememberClient(
  tx: Transaction,
  userId: number,
  address: string,
  now: number,
): Promise<void> {
  const endsAt = new Date(now + familiarMs)
  await tx
    .insert(attempts)
    .values({ ...keysOf(userId, address), count: 1, endsAt })
    .onConflictDoUpdate({ target: attempts.key, set: { endsAt } })
}

/** After a new password, every client is a stranger: who had stolen the old one may have logged in with it. */
export const forgetClients = (tx: Transaction, userId: number): Promise<void> =>
  forgetAttempts(tx, kind, [String(userId)])
