import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type SQLite from 'better-sqlite3'
import type { Config } from '../config.ts'
import { type Applied, compare, migrationError, readMigrations } from './applied.ts'
import { connect } from './database.ts'
import { begin } from './group-commit.ts'

/** The folder that `drizzle-kit generate` writes, next to src/ and dist/. */
const migrationsFolder = fileURLToPath(new URL('../../migrations/sqlite', import.meta.url))

/**
 * Applies all pending migrations in one transaction, so a crash leaves the old schema. It takes the write lock first:
 * if several processes start together, one migrates while the others wait.
 * @param folder the migrations, in Drizzle Kit's layout
 * @param waitMs how long to wait while another process migrates: copying a large table takes longer than any query
 * @returns the number of migrations applied
 */
export async function migrate(
  settings: Config['database'],
  folder = migrationsFolder,
  waitMs = 60_000,
): Promise<number> {
  const migrations = readMigrations(folder)
  const connection = connect({ ...settings, busyTimeoutMs: waitMs }, true)
  // To change a column, migrations for SQLite copy the table and drop the old one. With foreign keys on, that would
  // delete every row that refers to it. They are checked before the commit instead.
  connection.pragma('foreign_keys = OFF')
  // `begin` waits instead, so that the service answers health checks meanwhile.
  connection.pragma('busy_timeout = 0')
  try {
    await begin(connection, performance.now() + waitMs)
    // The table of Drizzle's own migrator.
    connection.exec(
      'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
    )
    const applied = connection
      .prepare('SELECT hash, created_at AS time FROM __drizzle_migrations')
      .all() as Applied[]
    const record = connection.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)')
    const redate = connection.prepare(
      'UPDATE __drizzle_migrations SET created_at = ? WHERE hash = ? AND created_at = ?',
    )
    const { pending, repeated, unknown } = compare(migrations, applied)
    for (const { migration, row } of repeated) redate.run(migration.folderMillis, row.hash, row.time)
    for (const migration of pending) {
      const kept = keepWhatTablesHave(connection, migration.sql)
      try {
        for (const statement of migration.sql) {
          kept.remember()
          // Otherwise a view, or a trigger of another table, that names the table would end the migration.
          connection.pragma(`legacy_alter_table = ${isRebuilt.test(statement) ? 'ON' : 'OFF'}`)
          connection.exec(withExpressions(statement))
          // Health checks are answered between two statements.
          await setImmediate()
        }
        kept.restore()
      } catch (error) {
        throw migrationError(error, unknown)
      }
      record.run(migration.hash, migration.folderMillis)
    }
    const broken = connection.pragma('foreign_key_check') as unknown[]
    if (broken.length > 0)
      throw new Error(`The migrations leave ${broken.length} rows with a broken foreign key. Fix the SQL.`)
    connection.exec('COMMIT')
    return pending.length
  } finally {
    // Rolls back if there was no COMMIT.
    connection.close()
  }
}

/** When Drizzle Kit copies a table, it quotes the expression of an index as if it were a column. */
const withExpressions = (statement: string): string =>
  /^\s*CREATE (UNIQUE )?INDEX\b/.test(statement)
    ? statement.replaceAll(/`([^`]*)`/g, (name, inner: string) => (/["(]/.test(inner) ? inner : name))
    : statement

/** How Drizzle Kit puts the copy of a table in its place. */
const isRebuilt = /^\s*ALTER TABLE [`"]__new_/

/** `DROP TRIGGER name`: the migration means it. */
const dropTrigger = /\bDROP\s+TRIGGER\s+(?:IF\s+EXISTS\s+)?[`"[]?(\w+)/gi

/**
 * What SQLite drops with a table: its triggers, and the highest id, so that ids would be given again. A migration that
 * changes a column copies the table, drops it and renames the copy; Drizzle Kit only writes the indexes again.
 */
function keepWhatTablesHave(connection: SQLite.Database, statements: string[]) {
  const highest = new Map<string, bigint>()
  const triggers = new Map<string, { on: string; sql: string }>()
  const query = (sql: string) => connection.prepare(sql).safeIntegers().all()
  const names = () =>
    new Set(query('SELECT name FROM sqlite_schema').map((row) => (row as { name: string }).name))
  const dropped = new Set(
    statements.flatMap((text) => [...text.matchAll(dropTrigger)].map(([, name]) => name)),
  )
  return {
    /** Before each statement: one may rename a table that the next one drops. */
    remember(): void {
      const found = query("SELECT name, tbl_name AS 'on', sql FROM sqlite_schema WHERE type = 'trigger'")
      for (const { name, ...trigger } of found as { name: string; on: string; sql: string }[])
        triggers.set(name, trigger)
      if (!names().has('sqlite_sequence')) return
      for (const { name, seq } of query('SELECT name, seq FROM sqlite_sequence') as {
        name: string
        seq: bigint
      }[])
        highest.set(name, seq)
    },
    restore(): void {
      const existing = names()
      for (const [name, { on, sql }] of triggers)
        if (existing.has(on) && !existing.has(name) && !dropped.has(name)) connection.exec(sql)
      if (!existing.has('sqlite_sequence')) return
      // SQLite writes the row with the first id.
      const add = connection.prepare(
        'INSERT INTO sqlite_sequence SELECT @name, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = @name)',
      )
      const raise = connection.prepare('UPDATE sqlite_sequence SET seq = max(seq, @seq) WHERE name = @name')
      for (const [name, seq] of highest) {
        if (!existing.has(name)) continue
        add.run({ name })
        raise.run({ name, seq })
      }
    },
  }
}
