import type { MigrationMeta } from 'drizzle-orm/migrator'

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
const recognized = '-- Not run again if the update of create-authsmith is taken back and made again.\n'

/** Drizzle Kit 1.0 names a migration after its second: `drizzle-kit up` drops the rest of the time. */
const secondOf = (time: number): number => time - (time % 1000)

/**
 * Compares the folder of migrations with the database. A timestamp identifies a migration: Drizzle's own migrator only
 * looks at the newest, and silently skips one that was merged late from another branch. Of two in the same second, the
 * SQL decides.
 * @returns `pending`, to apply in this order; and `repeated`, which the database applied at another `time`: as part of
 * an update that was taken back and made again
 */
export function compare(migrations: readonly MigrationMeta[], applied: readonly Applied[]) {
  const times = new Set(migrations.map(({ folderMillis }) => folderMillis))
  const former = applied.filter(({ time }) => !times.has(time))
  const pending: MigrationMeta[] = []
  const repeated: { migration: MigrationMeta; time: number }[] = []
  for (const migration of migrations) {
    const isOnly = migrations.every(
      (other) => other === migration || other.folderMillis !== migration.folderMillis,
    )
    const isSame = ({ hash }: Applied) => isOnly || hash === migration.hash
    if (applied.some((row) => row.time === migration.folderMillis && isSame(row))) continue
    if (former.some((row) => secondOf(row.time) === migration.folderMillis && isSame(row))) continue
    const isRecognized = migration.sql[0]?.startsWith(recognized) === true
    const same = former.findIndex(({ hash }) => isRecognized && hash === migration.hash)
    const [row] = same < 0 ? [] : former.splice(same, 1)
    if (row) repeated.push({ migration, time: row.time })
    else pending.push(migration)
  }
  return { pending, repeated }
}
