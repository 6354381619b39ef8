import { liveSessions, sessions } from '../src/accounts/session-store.ts'
import { verificationCodes } from '../src/db/schema/verification-codes.ts'
import type { TestApp } from './app.ts'

/** The rows of all sessions that are not over. */
export const storedSessions = (app: TestApp) =>
  app.db.read.select().from(sessions).where(liveSessions(app.now()))

/** What a session carried over from profile A has beside the columns of both: nothing is known of its device. */
export const carriedColumns = {}

/** How many rows there are of sessions, live or over, and of mailed codes. */
export const countStored = async (app: TestApp) => ({
  sessions: await app.db.read.$count(sessions),
  emailTokens: await app.db.read.$count(verificationCodes),
})
