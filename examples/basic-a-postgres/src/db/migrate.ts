import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Config } from '../config.ts'
import { connect } from './database.ts'

/** The folder that `drizzle-kit generate` writes, next to src/ and dist/. */
const migrationsFolder = fileURLToPath(new URL('../../migrations/postgres', import.meta.url))

/**
 * Applies all pending migrations in one transaction, so a crash leaves the old schema. It takes an advisory lock
 * first: if several processes start together, one migrates while the others wait.
 * @param folder the migrations, in Drizzle Kit's layout
 * @param waitMs how long to wait for a connection: several processes that start together keep the server busy
 * @returns the number of migrations applied
 */
export async function migrate(
  settings: Config['database'],
  folder = migrationsFolder,
  waitMs = 30_000,
): Promise<number> {
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  const connection = await connect({ ...settings, connectTimeoutMs: waitMs })
  try {
    // If this process is killed, the server cancels its statement and releases the lock. Without this setting (before
    // PostgreSQL 14, and on some systems) it releases the lock when the statement ends.
    await connection.query(`SET client_connection_check_interval = '1s'`).catch(() => {})
    await connection.query('BEGIN')
    // Held until the transaction ends. Without it, two processes could both try to create the table.
    await connection.query(
      `SELECT pg_advisory_xact_lock(hashtext('__drizzle_migrations'), hashtext(current_schema()))`,
    )
    await connection.query(
      'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)',
    )
    const { rows } = await connection.query('SELECT created_at FROM __drizzle_migrations')
    // By timestamp: Drizzle's own migrator silently skips one that was merged late from another branch.
    const applied = new Set(rows.map((row) => Number(row.created_at)))
    const pending = migrations.filter((migration) => !applied.has(migration.folderMillis))
    for (const migration of pending) {
      for (const statement of migration.sql) await connection.query(inCurrentSchema(statement))
      await connection.query('INSERT INTO __drizzle_migrations (hash, created_at) VALUES ($1, $2)', [
        migration.hash,
        migration.folderMillis,
      ])
    }
    await connection.query('COMMIT')
    return pending.length
  } finally {
    // Rolls back if there was no COMMIT.
    await connection.end()
  }
}

/** Drizzle Kit writes the schema in foreign keys only. Without it, they too follow the search_path of the URL. */
const inCurrentSchema = (statement: string): string => statement.replaceAll('"public".', '')
