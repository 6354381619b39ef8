import { basename } from 'node:path/posix'
import { accountsIn, hasUsers, isBasic, isComplete, type State } from '../answers/variant.ts'
import type { Files } from '../system/file-system.ts'
import type { Snapshot, SnapshotTable } from './drizzle-kit/folder.ts'
import type { ExistingUsers, Switch } from './rows/rule.ts'
import { sqlName } from './schema/database-schema.ts'
import type { Statement } from './sql/statements.ts'

interface NotesInput extends Pick<Switch, 'dialect' | 'history' | 'to' | 'existingUsers'> {
  /** All snapshots of the folder, first to last. */
  readonly snapshots: readonly Snapshot[]
  /** The statements that change the schema. */
  readonly schema: readonly Statement[]
}

/** The tables of `before` that `after` does not have. They stay in the database. */
export const leftTables = (before: Snapshot, after: Snapshot): string[] =>
  Object.keys(before.tables)
    .filter((key) => !Object.hasOwn(after.tables, key))
    .map((key) => key.replace(/^public\./, ''))

/** The note about such tables, if there are any. */
export const leftNotes = (tables: readonly string[]): string[] =>
  tables.length > 0
    ? [
        `tables that the code no longer uses, which stay in the database with their rows: ${tables.join(', ')}`,
      ]
    : []

/**
 * How the owner drops the tables of add-ons that were removed. Dropped by hand, they would be missing if the add-on is
 * added again.
 */
export function dropNotes(tables: readonly SnapshotTable[]): string[] {
  if (tables.length === 0) return []
  const statements = tables.map((table) => `DROP TABLE "${sqlName(table)}";`)
  return [
    `to drop them, write a migration with db:generate --custom --name dropped and put into it: ${statements.reverse().join(' ')}`,
  ]
}

/** SQL files that no migrator knows. */
export const unlistedNotes = (files: Files, journal: string): string[] =>
  [...files.keys()]
    .filter((path) => path.endsWith('.sql') && !files.get(journal)?.includes(`"${basename(path, '.sql')}"`))
    .map((path) => `${path} is not in meta/_journal.json, so it never runs: use db:generate --custom`)

/** The note about tables that an add-on for logging in finds again, and that must not let anyone in. */
export const emptiedNotes = (tables: readonly string[]): string[] =>
  tables.map((table) => `the migration deletes the rows that ${table} still has from before`)

/** Counts the mails that are still to be sent, on both databases. */
export const WAITING_MAILS = 'SELECT count(*) FROM outbox WHERE sent_at IS NULL AND failed_at IS NULL'

/** How the owner gets waiting mails sent before a switch to a mode that sends none. */
export const waitingNotes = (from: State, to: State): string[] =>
  isComplete(from) && !isComplete(to)
    ? [
        `emails that wait are not sent in mode ${accountsIn(to).mode}: before you deploy, keep the old version running until this returns 0: ${WAITING_MAILS}`,
      ]
    : []

/** A rebuilt table has only the columns of its schema file. */
const REBUILT =
  'if a migration of yours rebuilds users in mode basic, as db:generate does on SQLite for a changed column, everyone is unverified and logged out after a switch back to mode complete'

/** Whether users of mode basic enter mode complete. */
export const isJoin = (history: readonly State[], to: State): boolean =>
  isComplete(to) && isBasic(history.findLast(hasUsers))

export const joined = (existingUsers: ExistingUsers): string =>
  `users who registered in mode basic start as ${existingUsers}`

/** Instead of that, for a switch which another one to mode complete follows in the same update. */
export const JOINED_EARLIER =
  'users who registered in mode basic before an earlier switch start as unverified: --existing-users is for the last one'

/** Notes about rows, which the owner cannot see from the files. */
export function notesOf({ dialect, history, to, existingUsers, snapshots, schema }: NotesInput): string[] {
  const wasDropped = (table: string, column: string) => snapshots.some((one) => hasColumn(one, table, column))
  const again = schema.flatMap((statement) => {
    if (statement.kind !== 'alter-table') return []
    const { table, changes } = statement
    return changes.flatMap((change) =>
      change.kind === 'add-column' && wasDropped(table, change.name) ? `${table}.${change.name}` : [],
    )
  })
  const lastWithUsers = history.findLast(hasUsers)
  // On PostgreSQL, Drizzle Kit changes a column in place.
  const canLose = dialect === 'sqlite' && isBasic(to) && isComplete(lastWithUsers)
  return [
    ...again.map((column) => `${column} is empty, because an earlier migration of the project dropped it`),
    ...(isJoin(history, to) ? [joined(existingUsers)] : []),
    ...(canLose ? [REBUILT] : []),
  ]
}

const hasColumn = ({ tables }: Snapshot, table: string, column: string): boolean =>
  Object.values(tables).some((each) => sqlName(each) === table && Object.hasOwn(each.columns, column))
