import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { PendingMigration } from '../../../src/copy/database.ts'
import { type CopyTestTarget, copyTestTarget } from './target.ts'

describe.each(['sqlite', 'postgres'] as const)('the migrations of a target: %s', (kind) => {
  let database: CopyTestTarget
  beforeEach(async () => {
    database = await copyTestTarget(kind)
  })

  async function migrate(...migrations: PendingMigration[]) {
    const target = await database.open()
    await target.migrate(migrations).finally(target.close)
  }
  const recorded = () =>
    database.rows('SELECT created_at, hash FROM __drizzle_migrations ORDER BY created_at')
  const record = ({ when, sql }: PendingMigration) => [
    String(when),
    createHash('sha256').update(sql).digest('hex'),
  ]

  const init = {
    when: 100,
    sql: 'CREATE TABLE notes (id bigint PRIMARY KEY);--> statement-breakpoint\nSELECT 1;',
  }
  const more = { when: 300, sql: 'CREATE TABLE more (id bigint PRIMARY KEY);' }
  const late = { when: 200, sql: 'ALTER TABLE notes ADD COLUMN title text;' }

  test('are applied once and recorded as Drizzle Kit does, including one that was merged late', async () => {
    await migrate(init, more)
    await migrate(init, late, more)
    expect(await recorded()).toEqual([record(init), record(late), record(more)])
    await database.run(`INSERT INTO notes (id, title) VALUES (1, 'one')`)
    await migrate(init, late, more)
    expect(await recorded()).toHaveLength(3)
    expect(await database.rows('SELECT id, title FROM notes')).toEqual([['1', 'one']])
  })

  test('are applied all together or not at all', async () => {
    await migrate(init)
    await expect(migrate(init, late, { when: 400, sql: 'DROP TABLE nothing;' })).rejects.toThrow('nothing')
    expect(await recorded()).toEqual([record(init)])
    await expect(database.run('SELECT title FROM notes')).rejects.toThrow('title')
    await migrate(init, late)
    expect(await recorded()).toHaveLength(2)
  })
})

test('migrations on PostgreSQL follow the search_path of the database URL', async () => {
  const database = await copyTestTarget('postgres')
  const target = await database.open()
  const sql = 'CREATE TABLE people (id bigint PRIMARY KEY, mentor bigint REFERENCES "public"."people"(id));'
  await target.migrate([{ when: 1, sql }]).finally(target.close)
  expect(await database.rows('SELECT count(*) FROM people')).toEqual([['0']])
})

test.each(['CREATE INDEX CONCURRENTLY', 'create index concurrently'])('%s is applied', async (create) => {
  const database = await copyTestTarget('postgres')
  const target = await database.open()
  const people = { when: 1, sql: 'CREATE TABLE people (name text);' }
  const index = { when: 2, sql: `${create} "names" ON "people" USING btree ("name");` }
  await target.migrate([people, index]).finally(target.close)
  expect(await database.rows(`SELECT count(*) FROM pg_index WHERE indexrelid = 'names'::regclass`)).toEqual([
    ['1'],
  ])
})

test('migrations on SQLite are refused if they leave broken foreign keys', async () => {
  const database = await copyTestTarget('sqlite')
  await database.run('CREATE TABLE people (id INTEGER PRIMARY KEY, mentor INTEGER REFERENCES people)')
  const target = await database.open()
  const migrating = target
    .migrate([{ when: 1, sql: 'INSERT INTO people VALUES (1, 9)' }])
    .finally(target.close)
  await expect(migrating).rejects.toThrow('1 rows lack the row they refer to')
  expect(await database.rows('SELECT count(*) FROM people')).toEqual([['0']])
})
