import { hasUsers, isBasic, isComplete } from '../answers/variant.ts'
import { sqlName } from './database-schema.ts'
import type { Snapshot } from './folder.ts'
import type { Switch } from './rows/rule.ts'
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

/** A rebuilt table has only the columns of its schema file. */
const REBUILT =
  'if a migration of yours rebuilds users in mode basic, as db:generate does on SQLite for a changed column, everyone is unverified and logged out after a switch back to mode complete'

/** Notes about rows, which the owner cannot see from the files. */
export function notesOf({ dialect, history, to, existingUsers, snapshots, schema }: NotesInput): string[] {
  const columns = schema.flatMap((statement) =>
    statement.kind === 'alter-table'
      ? statement.changes.flatMap((change) =>
          change.kind === 'add-column' ? { table: statement.table, column: change.name } : [],
        )
      : [],
  )
  const again = columns.filter(({ table, column }) => snapshots.some((one) => hasColumn(one, table, column)))
  const lastWithUsers = history.findLast(hasUsers)
  const joins = isComplete(to) && isBasic(lastWithUsers)
  // On PostgreSQL, Drizzle Kit changes a column in place.
  const canLose = dialect === 'sqlite' && isBasic(to) && isComplete(lastWithUsers)
  return [
    ...again.map(
      ({ table, column }) =>
        `${table}.${column} is empty, because an earlier migration of the project dropped it`,
    ),
    ...(joins ? [`users who registered in mode basic start as ${existingUsers}`] : []),
    ...(canLose ? [REBUILT] : []),
  ]
}

const hasColumn = ({ tables }: Snapshot, table: string, column: string): boolean =>
  Object.values(tables).some((each) => sqlName(each) === table && Object.hasOwn(each.columns, column))
