import { type SQL, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { Transaction } from '../../src/db/database.ts'
import { deriveKeys } from '../../src/keys.ts'
import { createSessions } from '../../src/sessions/sessions.ts'
import { readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { startSession } from '../support/flows.ts'

async function first<Row>(tx: Transaction, query: SQL): Promise<Row | undefined> {
  const { rows } = (await tx.execute(query)) as { rows: Row[] }
  return rows[0]
}

// A thief who logged in all day had made so many that no request that ends all of them finished in time.
test('ending all sessions writes only those that have not ended', async () => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const { id } = await register(app)
  const { access } = app.accounts
  for (let time = 0; time < 5; time += 1) await startSession(app)
  await app.db.transaction((tx) => access.endAccess(tx, id))
  for (let time = 0; time < 2; time += 1) await startSession(app)
  const written = await app.db.transaction(async (tx) => {
    await access.endAccess(tx, id)
    return first(
      tx,
      sql`SELECT count(*)::int AS rows FROM refresh_tokens WHERE xmin = pg_current_xact_id()::xid`,
    )
  })
  expect(written).toEqual({ rows: 2 })
})

// An index on a column that a refresh changes makes it write an entry into every index (PostgreSQL documentation, HOT).
test('a login writes its session once, and a refresh leaves the indexes alone', async () => {
  const app = await createTestApp()
  const user = await readUser(app, (await register(app)).id)
  const { config, db, now } = app
  const { start, refresh } = createSessions(
    config.sessions,
    deriveKeys(config.accessTokens).refreshTokens,
    now,
  )
  const updates = await db.transaction(async (tx) => {
    const { refreshToken } = await start(tx, { user, ipAddress: '192.0.2.1', userAgent: 'Test/1.0' })
    expect(await refresh(tx, refreshToken)).toMatchObject({ outcome: 'refreshed' })
    return first(
      tx,
      sql`SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_xact_user_tables WHERE relid = 'refresh_tokens'::regclass`,
    )
  })
  expect(updates).toEqual({ all: 1, hot: 1 })
})
