import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { timeIn } from '../../src/db/queries.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { claimMails } from '../../src/mail/claim.ts'
import { createTestApp } from '../support/app.ts'
import { testServer } from '../support/server.ts'

// An attacker who fills the queue, or an outage, must not make each claim slower until it exceeds the statement timeout.
test.skipIf(testServer === undefined).each([
  ['to several domains', (index: number) => `${index % 10}.example`, 'full.example'],
  [
    'almost all to a full domain',
    (index: number) => (index < 1900 ? 'full.example' : 'z.example'),
    'z.example',
  ],
])('a claim reads a few rows of 2,000 due mails %s', async (_what, domainOf, lastDomain) => {
  const { db } = await createTestApp()
  const mails = Array.from({ length: 2_000 }, (_, index) => ({
    messageId: `<${index}@example.com>`,
    recipient: `user${index}@${domainOf(index)}`,
    domain: domainOf(index),
    subject: 'Your password was changed',
    template: 'password_changed',
    createdAt: new Date(index),
    nextAttemptAt: new Date(index),
  }))
  await db.transaction(async (tx) => {
    await tx.insert(outbox).values(mails)
    await tx.execute(sql`ANALYZE outbox`)
  })
  await db.transaction(async (tx) => {
    const pinned = { ...db, read: tx, transaction: <Result>(work: (same: typeof tx) => Result) => work(tx) }
    const roomFor = (domain: string) => (domain === 'full.example' ? 0 : 1)
    const claim = { count: 1, roomFor, lastDomain }
    const mails = await claimMails(pinned as typeof db, timeIn, claim)
    expect(mails).toHaveLength(1)
    expect(mails[0]?.domain).not.toBe('full.example')
    // Only the reads of this transaction, on its connection.
    const { rows } = (await tx.execute(
      sql`SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relid = 'outbox'::regclass`,
    )) as unknown as { rows: { read: number }[] }
    expect(rows[0]?.read).toBeGreaterThan(0)
    expect(rows[0]?.read).toBeLessThan(200)
  })
})
