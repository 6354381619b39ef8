import type { State } from '../answers/variant.ts'
import type { Files } from '../system/file-system.ts'
import { sqlName } from './database-schema.ts'
import { type Folder, readFolder, type Snapshot } from './folder.ts'
import { type Statement, statementsOf } from './sql/statements.ts'
import type { Dialect } from './sql/tokens.ts'

interface SwitchInput {
  readonly dialect: Dialect
  /** The migrations before the switch. */
  readonly folder: Folder
  /** The states of the project so far, the current one last. */
  readonly history: readonly State[]
  /** The new state. */
  readonly to: State
  /** All files of a new project in a state, with this database. */
  readonly fresh: (state: State) => Files
}

/**
 * Finds the tables and columns that a switch creates although an earlier state of the project had them: the owner
 * squashed or deleted the migrations of that state, whose tables may still be in the database. Then the service would
 * not start.
 * @param schema the statements of the switch
 * @returns a note for the owner, if there are such tables or columns
 */
export function squashedNotes(
  { dialect, folder, history, to, fresh }: SwitchInput,
  schema: readonly Statement[],
): string[] {
  const created = createdBy(schema)
  if (created.length === 0 || to === history.at(-1)) return []
  const known = new Set(
    folder.migrations.flatMap(({ sql, snapshot }) => [
      ...createdBy(statementsOf(sql, dialect)),
      ...namesOf(snapshot),
    ]),
  )
  const namesIn = (state: State) => namesOf(readFolder(fresh(state), dialect).migrations[0].snapshot)
  const current = namesIn(history.at(-1) as State)
  const lost = [...new Set(history.slice(0, -1))].flatMap((state) => {
    const own = namesIn(state).filter((name) => !current.includes(name))
    // If some tables, or columns of a table, are known, the others are new in this version of create-authsmith.
    const isKnown = (name: string) =>
      own.some((other) => tableIn(other) === tableIn(name) && known.has(other))
    return own.filter((name) => created.includes(name) && !isKnown(name))
  })
  return lost.length === 0
    ? []
    : [
        `no migration of yours creates ${[...new Set(lost)].join(', ')}, which an earlier switch left in the database: if you squashed migrations, run regenerate --abort before the next start, add these tables and columns to the squashed one, and switch again`,
      ]
}

/** The tables that statements create, and the columns that they add to others: `users.is_verified`. */
const createdBy = (statements: readonly Statement[]): string[] =>
  statements.flatMap((statement) => {
    if (statement.kind === 'create-table') return statement.table
    if (statement.kind !== 'alter-table') return []
    return statement.changes.flatMap((change) =>
      change.kind === 'add-column' ? `${statement.table}.${change.name}` : [],
    )
  })

/** The table of a column; empty for a table. */
const tableIn = (name: string): string => name.split('.').slice(0, -1).join('.')

/** All tables and columns. */
const namesOf = ({ tables }: Snapshot): string[] =>
  Object.values(tables).flatMap((table) => [
    sqlName(table),
    ...Object.keys(table.columns).map((column) => `${sqlName(table)}.${column}`),
  ])
