import { desc, eq } from 'drizzle-orm'
import type { Reader } from '../db/database.ts'
import { verificationCodes } from '../db/schema/verification-codes.ts'
import { sessions } from '../sessions/store.ts'

const kinds = { email_verification: 'verification', password_reset: 'reset' } as const

/** The sessions and mailed codes of a user, newest first, without the tokens and codes. */
export async function exportTokens(db: Reader, userId: number, maxRows: number) {
  const stored = await db
    .select()
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.createdAt))
    .limit(maxRows)
  const codes = await db
    .select()
    .from(verificationCodes)
    .where(eq(verificationCodes.userId, userId))
    .orderBy(desc(verificationCodes.createdAt))
    .limit(maxRows)
  return {
    sessions: stored.map((session) => ({
      id: session.id,
      device_name: session.deviceName,
      device_type: session.deviceType,
      ip_address: session.ipAddress,
      user_agent: session.userAgent,
      is_revoked: session.isRevoked,
      created_at: session.createdAt.toISOString(),
      last_used_at: session.lastUsedAt?.toISOString() ?? null,
      expires_at: session.expiresAt.toISOString(),
    })),
    mailed_tokens: codes.map(({ codeType, isUsed, createdAt, expiresAt }) => ({
      kind: kinds[codeType],
      is_used: isUsed,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    })),
  }
}
