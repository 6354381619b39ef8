import { desc, eq } from 'drizzle-orm'
import { z } from 'zod'
import { verificationCodes } from '../db/schema/verification-codes.ts'
import { sessions as table } from '../sessions/store.ts'
import { exportPart, maxRows } from './types.ts'

const time = z.iso.datetime()
/** The kinds whose `code_type` differs. */
const kinds: Partial<Record<string, string>> = { email_verification: 'verification', password_reset: 'reset' }

/** The sessions of a user, live or ended, and their emailed codes. */
export const sessions = exportPart({
  shape: {
    sessions: z.array(
      z.object({
        id: z.int(),
        device_name: z.string().nullable(),
        device_type: z.string().nullable(),
        ip_address: z.string().nullable(),
        user_agent: z.string().nullable(),
        is_revoked: z.boolean(),
        created_at: time,
        last_used_at: time.nullable(),
        expires_at: time,
      }),
    ),
    mailed_tokens: z.array(
      z.object({
        kind: z.string(),
        is_used: z.boolean(),
        created_at: time,
        expires_at: time,
      }),
    ),
  },
  async read({ db, user }) {
    const stored = await db
      .select()
      .from(table)
      .where(eq(table.userId, user.id))
      .orderBy(desc(table.createdAt))
      .limit(maxRows)
    const codes = await db
      .select()
      .from(verificationCodes)
      .where(eq(verificationCodes.userId, user.id))
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
        kind: kinds[codeType] ?? codeType,
        is_used: isUsed,
        created_at: createdAt.toISOString(),
        expires_at: expiresAt.toISOString(),
      })),
    }
  },
})
