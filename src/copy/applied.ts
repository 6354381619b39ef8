import { hash } from 'node:crypto'
import { RECOGNIZED } from '../migrations/drizzle-kit/append.ts'
import type { Migration } from '../migrations/drizzle-kit/folder.ts'

type Timed = Pick<Migration, 'when' | 'sql'>

/** A row of Drizzle's table of applied migrations. */
export interface Applied {
  /** SHA-256 of the SQL. */
  readonly hash: string
  /** The timestamp of the migration. */
  readonly time: number
}

export const hashOf = ({ sql }: Pick<Timed, 'sql'>): string => hash('sha256', sql)

/** The hashes that a database may have of a migration, whose files may have CR LF where the service runs. */
const hashesOf = ({ sql }: Timed): string[] => [
  hashOf({ sql }),
  hashOf({ sql: sql.replaceAll('\n', '\r\n') }),
]

/**
 * Compares migrations with a database as src/db/applied.ts of the service does: a timestamp identifies a migration.
 * @returns `pending`, to apply in this order; and `repeated`, which the database applied as `row`, at another time: as part of
 * an update that was taken back and made again
 */
export function compareApplied<Each extends Timed>(migrations: readonly Each[], applied: readonly Applied[]) {
  const times = new Set(migrations.map(({ when }) => when))
  const former = applied.filter(({ time }) => !times.has(time))
  const pending: Each[] = []
  const repeated: { migration: Each; row: Applied }[] = []
  for (const migration of migrations) {
    if (applied.some(({ time }) => time === migration.when)) continue
    const isRecognized = migration.sql.startsWith(RECOGNIZED)
    const same = former.findIndex((row) => isRecognized && hashesOf(migration).includes(row.hash))
    const [row] = same < 0 ? [] : former.splice(same, 1)
    if (row) repeated.push({ migration, row })
    else pending.push(migration)
  }
  return { pending, repeated }
}
