import { ne } from 'drizzle-orm'
import { liveSessions, sessions } from '../src/accounts/session-store.ts'
import { tokens } from '../src/db/schema/tokens.ts'
import type { TestApp } from './app.ts'

/** The rows of all sessions that are not over. */
export const storedSessions = (app: TestApp) =>
  app.db.read.select().from(sessions).where(liveSessions(app.now()))

/** What a session carried over from profile B has beside the columns of both. */
export const carriedColumns = { tokenType: 'refresh' as const }

/** How many rows there are of sessions, live or over, and of mailed tokens. */
export const countStored = async (app: TestApp) => {
  const emailTokens = await app.db.read.$count(tokens, ne(tokens.tokenType, 'refresh'))
  return { sessions: (await app.db.read.$count(tokens)) - emailTokens, emailTokens }
}
