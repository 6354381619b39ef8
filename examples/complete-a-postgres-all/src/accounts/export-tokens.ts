import { desc, eq } from 'drizzle-orm'
import type { Reader } from '../db/database.ts'
import { tokens } from '../db/schema/tokens.ts'

/** The sessions and mailed tokens of a user, newest first, without the tokens. */
export async function exportTokens(db: Reader, userId: number, maxRows: number) {
  const { id, tokenType, createdAt, expiresAt, rotatedAt } = tokens
  const rows = await db
    .select({ id, tokenType, createdAt, expiresAt, rotatedAt })
    .from(tokens)
    .where(eq(tokens.userId, userId))
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
}
