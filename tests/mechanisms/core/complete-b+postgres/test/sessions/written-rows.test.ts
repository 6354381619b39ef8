import { eq, lte, type SQL, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import type { Transaction } from '../../src/db/database.ts'
import * as sessionFlows from '../../src/sessions/sessions.ts'
import { revokeSessions, sessions } from '../../src/sessions/store.ts'
import { readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { startSession } from '../support/flows.ts'

async function first<Row>(tx: Transaction, query: SQL): Promise<Row | undefined> {
  const { rows } = (await tx.execute(query)) as { rows: Row[] }
  return rows[0]
}

// With a day of a thief's logins, no request that ends all sessions finished in time.
test('ending all sessions writes only those that have not ended', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  for (let time = 0; time < 7; time += 1) await startSession(app)
  await app.db.transaction((tx) => revokeSessions(tx, lte(sessions.id, 5)))
  const written = await app.db.transaction(async (tx) => {
    await revokeSessions(tx, eq(sessions.userId, id))
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
  const updates = await app.db.transaction(async (tx) => {
    // Both in this transaction, whose counts are read below.
    const ctx: Context = { ...app.ctx, db: { ...app.db, transaction: (work) => work(tx) } }
    const session = { user, client: { address: '192.0.2.1', userAgent: 'Test/1.0' } }
    const { refresh_token: token } = await sessionFlows.startSession(ctx, tx, session)
    const client = { address: '2001:db8::1', userAgent: 'Another/2.0 (with a longer name)' }
    expect(await sessionFlows.refreshSession(ctx, token, client)).toMatchObject({ outcome: 'refreshed' })
    return first(
      tx,
      sql`SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_xact_user_tables WHERE relid = 'refresh_tokens'::regclass`,
    )
  })
  expect(updates).toEqual({ all: 1, hot: 1 })
})
