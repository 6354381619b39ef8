import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Address } from './address.ts'
import { cannotOpen, type Target } from './database.ts'
import { openPostgres, type PostgresDriver } from './postgres-connection.ts'
import { postgresTarget } from './postgres-target.ts'
import type { SqliteDriver } from './sqlite-reader.ts'
import { sqliteTarget } from './sqlite-target.ts'

/** How long to wait for the lock of another process, in milliseconds. */
const LOCK_TIMEOUT_MS = 5_000

/**
 * Opens the database to copy into, with the settings of the service. Creates a missing SQLite file.
 * @param driver the module of better-sqlite3 or pg
 * @throws UserError (failed) if it cannot be opened, (refused) if row-level security hides rows
 */
export async function openTarget(driver: unknown, address: Address): Promise<Target> {
  try {
    if (address.kind === 'sqlite') return sqliteTarget(openFile(driver as SqliteDriver, address.file))
    return await openPostgres(driver as PostgresDriver, address.url, postgresTarget)
  } catch (error) {
    throw cannotOpen('copy into', error)
  }
}

function openFile(SQLite: SqliteDriver, file: string) {
  // Other users of the machine must not read the file, which contains all password hashes (CWE-732).
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const connection = new SQLite(file, { timeout: LOCK_TIMEOUT_MS })
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  return connection
}
