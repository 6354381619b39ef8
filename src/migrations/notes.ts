import type { Snapshot } from './folder.ts'
import { physicalName } from './physical.ts'
import { isBasic, isComplete } from './state.ts'
import type { Statement } from './statements.ts'
import type { TransitionInput } from './transition.ts'

interface Outcome {
  /** Of the folder, first to last. */
  readonly snapshots: readonly Snapshot[]
  readonly after: Snapshot
  /** What is added to the database. */
  readonly schema: readonly Statement[]
}

/** What an owner could not guess from the files. */
export function notesOf({ history, to, existingUsers }: TransitionInput, outcome: Outcome): string[] {
  const { snapshots, after, schema } = outcome
  const stay = Object.keys(snapshots.at(-1)?.tables ?? {}).filter((key) => !Object.hasOwn(after.tables, key))
  const columns = schema.flatMap((statement) =>
    statement.kind === 'alter-table'
      ? statement.changes.flatMap((change) =>
          change.kind === 'add-column' ? { table: statement.table, column: change.name } : [],
        )
      : [],
  )
  const again = columns.filter(({ table, column }) => snapshots.some((one) => hasColumn(one, table, column)))
  const lastWithUsers = history.findLast((state) => state !== 'none')
  const joins = isComplete(to) && isBasic(lastWithUsers)
  return [
    ...(stay.length > 0
      ? [
          `no code uses ${stay.map((key) => key.replace(/^public\./, '')).join(', ')} any more: the database keeps them, with their rows`,
        ]
      : []),
    ...again.map(
      ({ table, column }) => `${table}.${column} starts anew: an earlier migration of the project dropped it`,
    ),
    ...(joins ? [`users who registered in mode basic start as ${existingUsers}`] : []),
  ]
}

const hasColumn = ({ tables }: Snapshot, table: string, column: string): boolean =>
  Object.values(tables).some((each) => physicalName(each) === table && Object.hasOwn(each.columns, column))
