import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Config } from '../config.ts'
import { connect } from './database.ts'

/** The folder that `drizzle-kit generate` writes, beside src/ and dist/. */
const migrationsFolder = fileURLToPath(new URL('../../migrations/postgres', import.meta.url))

/** How long to wait for the server: several processes that start at once keep one another, and it, busy. */
const connectTimeoutMs = 30_000

/**
 * Brings the database up to date and resolves to the number of migrations applied. All of them run in one transaction
 * that takes an advisory lock first: of several processes that start at once one migrates while the others wait, and a
 * crash in the middle leaves the old schema.
 *
 * Keeps its record where `drizzle-kit migrate` keeps it too. Unlike Drizzle's own migrator it looks for each migration
 * by its timestamp instead of comparing with the newest one, so that a migration merged late from another branch is
 * applied and not skipped without a word.
 * @param folder of the migrations, in Drizzle Kit's layout
 */
export async function migrate(settings: Config['database'], folder = migrationsFolder): Promise<number> {
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  const connection = await connect({ ...settings, connectTimeoutMs })
  try {
    // The server stops a statement whose client was killed, and gives the lock free. (Before PostgreSQL 14, and on some
    // systems, there is no such setting: it does so when the statement ends.)
    await connection.query(`SET client_connection_check_interval = '1s'`).catch(() => {})
    await connection.query('BEGIN')
    // Held until the transaction ends, in whichever way. Without it two processes would both find no table and make it.
    await connection.query(
      `SELECT pg_advisory_xact_lock(hashtext('__drizzle_migrations'), hashtext(current_schema()))`,
    )
    await connection.query(
      'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)',
    )
    const { rows } = await connection.query('SELECT created_at FROM __drizzle_migrations')
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
    // Where it did not come to COMMIT, this rolls back.
    await connection.end()
  }
}

/** Drizzle Kit names the schema of a foreign key's table, and of no other: all of them follow the URL's search_path. */
const inCurrentSchema = (statement: string): string => statement.replaceAll('"public".', '')
