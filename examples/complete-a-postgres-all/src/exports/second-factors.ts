import { desc, eq } from 'drizzle-orm'
import { z } from 'zod'
import { signInTokens } from '../db/schema/sign-in-tokens.ts'
import { exportPart, maxRows } from './types.ts'

const time = z.iso.datetime()

/** What a sign-in of a user waits for. */
export const secondFactors = exportPart({
  shape: {
    sign_in_tokens: z.array(z.object({ purpose: z.string(), created_at: time, expires_at: time })),
  },
  async read({ db, user }) {
    const tokens = await db
      .select()
      .from(signInTokens)
      .where(eq(signInTokens.userId, user.id))
      .orderBy(desc(signInTokens.id))
      .limit(maxRows)
    return {
      sign_in_tokens: tokens.map(({ purpose, createdAt, expiresAt }) => ({
        purpose,
        created_at: createdAt.toISOString(),
        expires_at: expiresAt.toISOString(),
      })),
    }
  },
})
