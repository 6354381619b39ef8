import { createHash } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { compareApplied } from '../../../src/copy/applied.ts'
import type { PendingMigration } from '../../../src/copy/database.ts'
import { RECOGNIZED } from '../../../src/migrations/drizzle-kit/append.ts'
import { freshFiles, writeDatabaseFiles } from '../living-project.ts'
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

  test('are recognized by their SQL if the update that wrote them was taken back and made again', async () => {
    const tables = { when: 200, sql: `${RECOGNIZED}CREATE TABLE more (id bigint PRIMARY KEY);` }
    const rows = { when: 201, sql: 'INSERT INTO more (id) SELECT count(*) FROM more;' }
    const again = [init, { ...tables, when: 300 }, { ...rows, when: 301 }] as const
    await migrate(init, tables, rows)
    await migrate(...again)
    // The rows are changed again, and what ran before stays recorded.
    expect(await database.rows('SELECT id FROM more ORDER BY id')).toEqual([['0'], ['1']])
    expect(await recorded()).toEqual([record(init), record(rows), ...again.slice(1).map(record)])
    await expect(migrate(...again, { ...tables, when: 400 })).rejects.toThrow('more')
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

test('copy-data and the service compare migrations with a database in the same way', async () => {
  const { compare } = await import(
    join(writeDatabaseFiles(freshFiles('none', 'sqlite')), 'src/db/applied.ts')
  )
  const hashOf = (sql: string) => createHash('sha256').update(sql).digest('hex')
  const sqls = ['SELECT 1;\n', `${RECOGNIZED}SELECT 1;\n`, `${RECOGNIZED}SELECT 2;\n`]
  const oneOf = fc.record({
    when: fc.constantFrom(1, 2, 3000, 3001, 3500, 4000),
    sql: fc.constantFrom(...sqls),
    // As git may check it out.
    file: fc.constantFrom('\n', '\r\n'),
  })
  const written = ({ sql, file }: { sql: string; file: string }) => sql.replaceAll('\n', file)
  const list = fc.uniqueArray(oneOf, { selector: ({ when }) => when })
  const plain = ({
    pending,
    repeated,
  }: {
    pending: Timed[]
    repeated: { migration: Timed; row: { time: number } }[]
  }) => ({
    pending: pending.map(timeOf),
    repeated: repeated.map(({ migration, row }) => [timeOf(migration), row.time]),
  })
  fc.assert(
    fc.property(list, list, (migrations, ran) => {
      const applied = ran.map((each) => ({ hash: hashOf(written(each)), time: each.when }))
      const metas = migrations.map((each) => ({
        folderMillis: each.when,
        hash: hashOf(written(each)),
        sql: [written(each)],
      }))
      const plainly = plain(compareApplied(migrations, applied))
      expect(plainly).toEqual(plain(compare(metas, applied)))
      // Line ends make no difference.
      const withLf = ran.map(({ when, sql }) => ({ hash: hashOf(sql), time: when }))
      expect(plainly).toEqual(plain(compareApplied(migrations, withLf)))
    }),
  )
})

type Timed = { readonly when: number } | { readonly folderMillis: number }
const timeOf = (migration: Timed) => ('when' in migration ? migration.when : migration.folderMillis)

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

test('an index on an expression, which Drizzle Kit quotes when SQLite copies the table, is created', async () => {
  const database = await copyTestTarget('sqlite')
  const target = await database.open()
  const people = { when: 1, sql: 'CREATE TABLE `people` (`name` text);' }
  const index = { when: 2, sql: 'CREATE UNIQUE INDEX `names` ON `people` (`lower("name")`,`name`);' }
  await target.migrate([people, index]).finally(target.close)
  expect(await database.rows(`SELECT sql FROM sqlite_master WHERE name = 'names'`)).toEqual([
    ['CREATE UNIQUE INDEX `names` ON `people` (lower("name"),`name`)'],
  ])
})
