import { refused } from '../../system/errors.ts'
import type { Files } from '../../system/file-system.ts'
import { jsonText } from '../../system/json.ts'
import { BREAKPOINT } from '../sql/statements.ts'
import {
  type Folder,
  journalPath,
  lastSnapshot,
  prefixOf,
  type Snapshot,
  snapshotPath,
  sqlPath,
} from './folder.ts'
import { following } from './snapshot.ts'

export interface NewMigration {
  /** The tag, without its number. */
  readonly name: string
  readonly sql: readonly string[]
  /** The schema after it. */
  readonly snapshot: Snapshot
  /** The text of a migration without statements. */
  readonly comment?: string
  /** Whether a database that ran the same SQL before runs it again. */
  readonly isRepeatable?: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Adds a migration to a folder. Of the existing files, only the journal changes.
 * @returns the extended folder, and the new and changed files
 * @throws UserError (refused) if no name would sort after the existing ones
 */
export function append(
  present: Folder,
  { name, sql, snapshot, comment = UNUSED, isRepeatable, now }: NewMigration,
): { folder: Folder; files: Files } {
  const { dialect, journal, migrations } = present
  const when = Math.max(now - EARLIER_MS, ...migrations.map((each) => each.when + SECOND_MS))
  const text = `${isRepeatable || sql.length === 0 ? '' : RECOGNIZED}${sqlText(sql, comment)}`
  const idx = Math.max(-1, ...journal.entries.map((entry) => entry.idx)) + 1
  const tag = `${newPrefix(migrations, idx, when)}_${name}`
  const migration = { tag, when, sql: text, snapshot: following(lastSnapshot(present), snapshot) }
  const longer = [...migrations, migration] as const
  const { entries } = journal
  const version = entries.at(-1)?.version ?? snapshot.version
  const extended = { ...journal, entries: [...entries, { idx, version, when, tag, breakpoints: true }] }
  return {
    folder: { dialect, journal: extended, migrations: longer },
    files: new Map([
      [sqlPath(dialect, tag), migration.sql],
      [snapshotPath(dialect, tag), jsonText(migration.snapshot)],
      [journalPath(dialect), jsonText(extended)],
    ]),
  }
}

/** Between two migrations: Drizzle Kit 1.0 will name them after their second, and lose the order of two of the same one. */
const SECOND_MS = 1000

/**
 * How long before an update its first migration is dated: those that follow are later than it, but not in the future.
 * What the owner generates next has to sort after them.
 */
const EARLIER_MS = 10 * 60 * SECOND_MS

/** By this line, src/db/applied.ts of the service knows the migrations that it may recognize by their SQL. */
export const RECOGNIZED = '-- Not run again if the update of create-authsmith is taken back and made again.\n'

/**
 * A number in the format of the last one, and above all others. Drizzle Kit takes the snapshot whose file name sorts
 * last for the newest.
 */
function newPrefix(entries: readonly { readonly tag: string }[], idx: number, when: number): string {
  const last = prefixOf(entries.at(-1)?.tag ?? '')
  const time = /^\d{14}$/.test(last)
    ? new Date(when).toISOString().replace(/\D/g, '').slice(0, 14)
    : /^\d{10}$/.test(last) && Math.floor(when / 1000)
  // Two migrations of the same second.
  const prefix = time ? String(Math.max(Number(time), Number(last) + 1)) : String(idx).padStart(4, '0')
  if (entries.every(({ tag }) => prefixOf(tag) < prefix)) return prefix
  throw refused(
    `The migrations are not numbered in the order of their journal (the last is ${last}), so Drizzle Kit would pick the wrong one as the newest. Rename their files and journal entries.`,
  )
}

const UNUSED = 'The code no longer uses some tables. They stay in the database.'

const sqlText = (statements: readonly string[], comment: string): string =>
  statements.length > 0 ? `${statements.join(`\n${BREAKPOINT}\n`)}\n` : `-- ${comment}\n`
