import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { hashToken, insertToken, type SignInToken, takeToken } from '../sign-in/tokens.ts'
import type { User } from '../users/users.ts'

/** What a device signs, once. One for a login proves nothing else, and none of another user or session counts. */
export type ChallengePurpose = 'passkey login' | 'passkey registration' | 'passkey proof'

export const challengeMs = 5 * 60_000

/** Whom a challenge is for, and what else it depends on. */
interface Asked {
  user?: User
  sessionId?: number
  data?: object
}

/** @returns 256 random bits, in base64url */
export async function createChallenge(
  ctx: Context,
  tx: Transaction,
  purpose: ChallengePurpose,
  asked: Asked = {},
): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  await insertToken(ctx, tx, { ...asked, token: hashToken(challenge), purpose, lifetimeMs: challengeMs })
  return challenge
}

/** Uses a challenge up: a signature that was overheard is worth nothing. */
export const takeChallenge = (
  ctx: Context,
  tx: Transaction,
  purpose: ChallengePurpose,
  challenge: string,
): Promise<SignInToken | undefined> => takeToken(ctx, tx, purpose, hashToken(challenge))
