import { verificationCodes } from '../../src/db/schema/verification-codes.ts'
import { liveSessions, sessions } from '../../src/sessions/store.ts'
import type { TestApp } from './app.ts'

/** The rows of all live sessions. */
export const storedSessions = (app: TestApp) =>
  app.db.read.select().from(sessions).where(liveSessions(app.now()))

/** Counts the rows of all sessions, including ended ones, and of emailed codes. */
export const countStored = async (app: TestApp) => ({
  sessions: await app.db.read.$count(sessions),
  emailTokens: await app.db.read.$count(verificationCodes),
})
