import { eq } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { revokeSessions, sessions } from '../../src/sessions/store.ts'
import { lockUser } from '../../src/users/users.ts'
import { putMe, readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { temporaryDatabase } from '../support/database.ts'
import { refresh, startSession } from '../support/flows.ts'
import { testServer, withParameter } from '../support/server.ts'
import { testConfig } from '../support/settings.ts'
import { untilOneWaits } from '../support/waiting.ts'

// An attacker with a stolen session must not change the email after the owner has ended it. A request that waits for
// the user's row has to see what was committed meanwhile, which is not the default of every role and database.
// The same holds for a thief who refreshes: one query reads the session and locks the user, which has not changed.
test.skipIf(testServer === undefined).each(['email change', 'refresh'])(
  'a request (%s) that waits while its session is ended is refused, even if the default is repeatable read',
  async (what) => {
    const database = await temporaryDatabase()
    const url = withParameter(database.url, 'default_transaction_isolation', 'repeatable read')
    const db = await database.open(testConfig({ DATABASE_URL: url }).database)
    onTestFinished(async () => {
      await db.close()
      await database.remove()
    })
    const app = await createTestApp({}, false, { db })
    const user = await register(app)
    const { accessToken, refreshToken } = await startSession(app)
    const send = () =>
      what === 'refresh'
        ? refresh(app, refreshToken)
        : putMe(app, accessToken, { email: 'mallory@example.com' })

    const { request } = await db.transaction(async (tx) => {
      await lockUser(tx, user.id)
      const request = send()
      await untilOneWaits(tx)
      await revokeSessions(tx, eq(sessions.userId, user.id))
      return { request }
    })
    expect((await request).statusCode).toBe(401)
    expect((await readUser(app, user.id)).email).toBe(user.email)
  },
)
