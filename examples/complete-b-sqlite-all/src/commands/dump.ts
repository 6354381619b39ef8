import SQLite from 'better-sqlite3'
import type { Config } from '../config.ts'
import { sizeOf } from '../db/file.ts'

/**
 * Copies the database, as it is at this moment, into an empty file. Other processes can read and write meanwhile.
 * @throws Error if the database cannot be read
 */
export async function dump(settings: Config['database'], target: string): Promise<void> {
  if (!sizeOf(settings.file)) throw new Error(`DATABASE_URL: there is no database ${settings.file}`)
  const database = new SQLite(settings.file, { readonly: true, timeout: settings.busyTimeoutMs })
  try {
    // SQLite's backup API and the shell's .backup start again after each write of another process.
    database.prepare('VACUUM INTO ?').run(target)
  } finally {
    database.close()
  }
  // Without emails: a restore must not send again what was sent since the backup.
  const copy = new SQLite(target)
  try {
    for (const table of ['outbox', 'mail_requests']) {
      const exists = copy.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table)
      if (exists) copy.exec(`DELETE FROM ${table}`)
    }
  } finally {
    copy.close()
  }
}
