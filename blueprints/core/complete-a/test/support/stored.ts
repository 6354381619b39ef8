import { ne } from 'drizzle-orm'
import { tokens } from '../../src/db/schema/tokens.ts'
import { liveSessions, sessions } from '../../src/sessions/store.ts'
import type { TestApp } from './app.ts'

/** The rows of all live sessions. */
export const storedSessions = (app: TestApp) =>
  app.db.read.select().from(sessions).where(liveSessions(app.now()))

/** Counts the rows of all sessions, including ended ones, and of emailed tokens. */
export const countStored = async (app: TestApp) => {
  const emailTokens = await app.db.read.$count(tokens, ne(tokens.tokenType, 'refresh'))
  return { sessions: (await app.db.read.$count(tokens)) - emailTokens, emailTokens }
}
