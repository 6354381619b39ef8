import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Config } from '../config.ts'
import { type Applied, compare, migrationError } from './applied.ts'
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
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  const connection = connect({ ...settings, busyTimeoutMs: waitMs })
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
    for (const { migration, time } of repeated) redate.run(migration.folderMillis, migration.hash, time)
    for (const migration of pending) {
      try {
        for (const statement of migration.sql) {
          connection.exec(withExpressions(statement))
          // Health checks are answered between two statements.
          await setImmediate()
        }
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
