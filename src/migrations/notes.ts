import { hasUsers, isBasic, isComplete } from '../answers/variant.ts'
import { sqlName } from './database-schema.ts'
import type { Snapshot } from './folder.ts'
import type { Switch } from './rows/rule.ts'
import type { Statement } from './sql/statements.ts'

interface NotesInput extends Pick<Switch, 'history' | 'to' | 'existingUsers'> {
  /** All snapshots of the folder, first to last. */
  readonly snapshots: readonly Snapshot[]
  readonly after: Snapshot
  /** The statements that change the schema. */
  readonly schema: readonly Statement[]
}

/** Notes about what the owner cannot see from the files. */
export function notesOf({ history, to, existingUsers, snapshots, after, schema }: NotesInput): string[] {
  const stay = Object.keys(snapshots.at(-1)?.tables ?? {}).filter((key) => !Object.hasOwn(after.tables, key))
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
  return [
    ...(stay.length > 0
      ? [
          `tables that the code no longer uses, which stay in the database with their rows: ${stay.map((key) => key.replace(/^public\./, '')).join(', ')}`,
        ]
      : []),
    ...again.map(
      ({ table, column }) =>
        `${table}.${column} is empty, because an earlier migration of the project dropped it`,
    ),
    ...(joins ? [`users who registered in mode basic start as ${existingUsers}`] : []),
  ]
}

const hasColumn = ({ tables }: Snapshot, table: string, column: string): boolean =>
  Object.values(tables).some((each) => sqlName(each) === table && Object.hasOwn(each.columns, column))
