import { eq, lte } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { timeIn } from '../../src/db/queries.ts'
import { attempts } from '../../src/db/schema/attempts.ts'
import { refreshTokens } from '../../src/db/schema/refresh-tokens.ts'
import { cleanUp, cleanUpInTurn } from '../../src/jobs/clean-up.ts'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

const total = 2_500

/** An app with many sessions. Each tenth has expired. */
async function appWithSessions() {
  const app = await createTestApp()
  const { id: userId } = await register(app)
  const now = app.now()
  const rows = Array.from({ length: total }, (_, n) => ({
    userId,
    token: `token-${n}`,
    expiresAt: new Date(n % 10 === 0 ? now - 1 : now),
    createdAt: new Date(now),
  }))
  await app.db.transaction(async (tx) => {
    for (let from = 0; from < total; from += 500)
      await tx.insert(refreshTokens).values(rows.slice(from, from + 500))
  })
  return app
}

// Their time has no index, because each refresh would have to write it.
test('expired sessions are deleted wherever they are among the others', async () => {
  const app = await appWithSessions()
  await cleanUp(app)
  const expired = lte(refreshTokens.expiresAt, new Date(app.now() - 1))
  expect(await app.db.read.$count(refreshTokens, expired)).toBe(0)
  expect(await app.db.read.$count(refreshTokens)).toBe(total * 0.9)
})

test('a backlog of sessions is deleted in short transactions', async () => {
  const app = await appWithSessions()
  app.clock.advance(1)
  const deleted: number[] = []
  const transaction: Database['transaction'] = async (work, options) => {
    const before = await app.db.read.$count(refreshTokens)
    const result = await app.db.transaction(work, options)
    deleted.push(before - (await app.db.read.$count(refreshTokens)))
    return result
  }
  await cleanUp({ db: { ...app.db, transaction }, config: app.config, log: app.log, now: app.now })
  expect(deleted.filter((rows) => rows > 0)).toEqual([1_000, 1_000, 500])
})

// With 100 million users, reading all sessions takes longer than the ten minutes between two turns.
test('a run that reads for a minute stops, and the next one continues', async () => {
  const app = await appWithSessions()
  app.clock.advance(1)
  const transaction: Database['transaction'] = async (work, options) => {
    if ((await app.db.read.$count(refreshTokens)) < total) app.clock.advance(60)
    return app.db.transaction(work, options)
  }
  const { config, db, log, now } = app
  await cleanUpInTurn({ db: { ...db, transaction }, config, log, now })
  expect(await app.db.read.$count(refreshTokens)).toBe(500)

  const [{ id } = { id: 0 }] = await db.read.select().from(refreshTokens).orderBy(refreshTokens.id)
  const isPosition = eq(attempts.count, Number(id) - 1)
  expect(await db.read.$count(attempts, isPosition)).toBe(1)
  const ended = { count: Number(id) + 99, endsAt: timeIn(0) }
  await db.transaction(async (tx) => void (await tx.update(attempts).set(ended).where(isPosition)))
  await cleanUpInTurn(app)
  expect(await db.read.$count(refreshTokens)).toBe(100)
})

test('a run whose batch fails continues behind the ones before', async () => {
  const app = await appWithSessions()
  app.clock.advance(1)
  const transaction: Database['transaction'] = async (work, options) => {
    if ((await app.db.read.$count(refreshTokens)) <= 500) throw new Error('statement timeout')
    return app.db.transaction(work, options)
  }
  const { config, db, log, now } = app
  const position = await cleanUp({ db: { ...db, transaction }, config, log, now })
  expect(await app.db.read.$count(refreshTokens)).toBe(500)
  expect(position).toBeGreaterThanOrEqual(2_000)
})
