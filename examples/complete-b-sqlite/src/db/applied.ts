import { hash as digest } from 'node:crypto'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { ConfigError } from '../config.ts'
import { isUnavailable, withoutValues } from './dialect.ts'

/** A row of Drizzle's table of applied migrations. */
export interface Applied {
  /** SHA-256 of the SQL. */
  hash: string
  /** The timestamp of the migration, in milliseconds since 1970. */
  time: number
}

/**
 * The first line of a migration that may be recognized by its SQL: an update of create-authsmith wrote it for tables and
 * indexes. Others run: the same SQL may be needed again, after another migration undid it.
 */
const recognized = '-- Not run again if the update of create-authsmith is taken back and made again.'

/** The migrations of a folder in Drizzle Kit's layout. @throws ConfigError if a deployment left it out, or a part of it */
export function readMigrations(migrationsFolder: string): MigrationMeta[] {
  try {
    return readMigrationFiles({ migrationsFolder })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(
      `${migrationsFolder} is missing or incomplete: deploy migrations/ beside dist/ (${reason})`,
    )
  }
}

/**
 * Compares the folder of migrations with the database. A timestamp identifies a migration: Drizzle's own migrator only
 * looks at the newest, and silently skips one that was merged late from another branch.
 * @returns `pending`, to apply in this order; `repeated`, which the database applied as `row`, at another time: as part of
 * an update that was taken back and made again; and `unknown`, which the folder does not have
 */
export function compare(migrations: readonly MigrationMeta[], applied: readonly Applied[]) {
  const times = new Set(migrations.map(({ folderMillis }) => folderMillis))
  const former = applied.filter(({ time }) => !times.has(time))
  const pending: MigrationMeta[] = []
  const repeated: { migration: MigrationMeta; row: Applied }[] = []
  for (const migration of migrations) {
    if (applied.some(({ time }) => time === migration.folderMillis)) continue
    const isRecognized = migration.sql[0]?.startsWith(recognized) === true
    const same = former.findIndex(({ hash }) => isRecognized && hashesOf(migration).includes(hash))
    const [row] = same < 0 ? [] : former.splice(same, 1)
    if (row) repeated.push({ migration, row })
    else pending.push(migration)
  }
  const hashes = new Set(migrations.flatMap(hashesOf))
  const unknown = former.filter(({ hash }) => !hashes.has(hash))
  return { pending, repeated, unknown }
}

/** The hashes that a database may have of a migration: on some machines, git writes CR LF into text files. */
function hashesOf({ hash, sql }: MigrationMeta): string[] {
  const text = sql.join('--> statement-breakpoint').replaceAll('\r\n', '\n')
  return [hash, digest('sha256', text), digest('sha256', text.replaceAll('\n', '\r\n'))]
}

/**
 * The error of a migration that failed, without rows. What an update added stays in the database after the update was
 * taken back, and the migrations of another one may not fit.
 * @param unknown the applied migrations that the folder does not have
 */
export function migrationError(error: unknown, unknown: readonly Applied[]): unknown {
  const shown = withoutValues(error)
  if (unknown.length === 0 || !(shown instanceof Error)) return shown
  if (isUnavailable(shown) && !shown.message.endsWith('does not exist')) return shown
  return new Error(
    `${shown.message}. The database has run migrations that migrations/ does not have (${unknown.length}). If an update was taken back, repeat it or restore a backup from before it.`,
    { cause: shown },
  )
}
