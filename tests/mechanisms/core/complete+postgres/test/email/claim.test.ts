import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { timeIn } from '../../src/db/queries.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { claimNext } from '../../src/email/workers.ts'
import { createTestApp } from '../support/app.ts'
import { testServer } from '../support/server.ts'

// An attacker who fills the queue, or an outage, must not make each claim slower until it exceeds the statement timeout.
test.skipIf(testServer === undefined).each([
  ['to several domains', (index: number) => `${index % 10}.example`],
  ['almost all to a busy domain', (index: number) => (index < 1900 ? 'busy.example' : 'a.example')],
  ['all to a busy domain', () => 'busy.example'],
])('a claim reads a few rows of 2,000 due emails %s', async (_what, domainOf) => {
  const { ctx, db } = await createTestApp()
  const emails = Array.from({ length: 2_000 }, (_, index) => ({
    messageId: `<${index}@example.com>`,
    recipient: `user${index}@${domainOf(index)}`,
    domain: domainOf(index),
    subject: 'Your password was changed',
    template: 'password_changed',
    createdAt: new Date(index),
    nextAttemptAt: new Date(index),
  }))
  await db.transaction(async (tx) => {
    await tx.insert(outbox).values(emails)
    await tx.execute(sql`ANALYZE outbox`)
  })
  await db.transaction(async (tx) => {
    const pinned = { ...db, read: tx, transaction: <Result>(work: (same: typeof tx) => Result) => work(tx) }
    const outboxOfServer = { ...ctx.outbox, time: timeIn }
    const email = await claimNext({ ...ctx, db: pinned as typeof db, outbox: outboxOfServer }, 'busy.example')
    expect(email?.domain).toBe([domainOf(0), domainOf(1_999)].find((domain) => domain !== 'busy.example'))
    // Only the reads of this transaction, on its connection.
    const { rows } = (await tx.execute(
      sql`SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relid = 'outbox'::regclass`,
    )) as unknown as { rows: { read: number }[] }
    expect(rows[0]?.read).toBeGreaterThan(0)
    expect(rows[0]?.read).toBeLessThan(200)
  })
})
