import { desc, eq } from 'drizzle-orm'
import { z } from 'zod'
import { tokens } from '../db/schema/tokens.ts'
import { exportPart, maxRows } from './types.ts'

const time = z.iso.datetime()

/** The sessions of a user, live or expired, and their emailed tokens. */
export const sessions = exportPart({
  shape: {
    sessions: z.array(
      z.object({ id: z.int(), created_at: time, last_used_at: time.nullable(), expires_at: time }),
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
    const { id, tokenType, createdAt, expiresAt, rotatedAt } = tokens
    const rows = await db
      .select({ id, tokenType, createdAt, expiresAt, rotatedAt })
      .from(tokens)
      .where(eq(tokens.userId, user.id))
      .orderBy(desc(createdAt))
      .limit(maxRows)
    const times = ({ createdAt, expiresAt }: (typeof rows)[number]) => ({
      created_at: createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    })
    return {
      sessions: rows
        .filter(({ tokenType }) => tokenType === 'refresh')
        .map((row) => ({ id: row.id, ...times(row), last_used_at: row.rotatedAt?.toISOString() ?? null })),
      mailed_tokens: rows.flatMap((row) =>
        // A used token is deleted.
        row.tokenType === 'refresh' ? [] : [{ kind: row.tokenType, is_used: false, ...times(row) }],
      ),
    }
  },
})
