import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Config } from '../config.ts'
import { connect } from './database.ts'

/** The folder that `drizzle-kit generate` writes, beside src/ and dist/. */
const migrationsFolder = fileURLToPath(new URL('../../migrations/sqlite', import.meta.url))

/** How long to wait while another process migrates: copying a large table takes longer than any query. */
const lockTimeoutMs = 60_000

/**
 * Brings the database up to date and resolves to the number of migrations applied. All of them run in one transaction
 * that takes the write lock first: of several processes that start at once one migrates while the others wait, and a
 * crash in the middle leaves the old schema.
 *
 * Keeps its record where `drizzle-kit migrate` keeps it too. Unlike Drizzle's own migrator it looks for each migration
 * by its timestamp instead of comparing with the newest one, so that a migration merged late from another branch is
 * applied and not skipped without a word.
 * @param folder of the migrations, in Drizzle Kit's layout
 */
export async function migrate(settings: Config['database'], folder = migrationsFolder): Promise<number> {
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  const connection = connect({ ...settings, busyTimeoutMs: lockTimeoutMs })
  // To change a column SQLite copies the table and drops the old one: with foreign keys on, that would delete every row
  // that refers to it. They are off for this connection and checked as a whole before the commit.
  connection.pragma('foreign_keys = OFF')
  try {
    return connection
      .transaction(() => {
        connection.exec(
          'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
        )
        const applied = new Set(
          connection.prepare('SELECT created_at FROM __drizzle_migrations').pluck().all().map(Number),
        )
        const record = connection.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)')
        const pending = migrations.filter((migration) => !applied.has(migration.folderMillis))
        for (const migration of pending) {
          for (const statement of migration.sql) connection.exec(statement)
          record.run(migration.hash, migration.folderMillis)
        }
        const broken = connection.pragma('foreign_key_check') as unknown[]
        if (broken.length > 0)
          throw new Error(`The migrations leave ${broken.length} rows without the row they refer to`)
        return pending.length
      })
      .immediate()
  } finally {
    connection.close()
  }
}
