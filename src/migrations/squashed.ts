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
 * Finds the tables that a switch creates although an earlier state of the project had them: the owner squashed or
 * deleted the migrations of that state, whose tables may still be in the database. Then the service would not start.
 * @param schema the statements of the switch
 * @returns a note for the owner, if there are such tables
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
      ...tablesOf(snapshot),
    ]),
  )
  const tablesIn = (state: State) => tablesOf(readFolder(fresh(state), dialect).migrations[0].snapshot)
  const current = tablesIn(history.at(-1) as State)
  const lost = [...new Set(history.slice(0, -1))].flatMap((state) => {
    const own = tablesIn(state).filter((table) => !current.includes(table))
    // If some are known, the others are new in this version of create-authsmith.
    return own.some((table) => known.has(table)) ? [] : own.filter((table) => created.includes(table))
  })
  return lost.length === 0
    ? []
    : [
        `no migration of yours creates ${[...new Set(lost)].join(', ')}, which an earlier switch left in the database: if you squashed migrations, run regenerate --abort before the next start, add these tables to the squashed one, and switch again`,
      ]
}

const createdBy = (statements: readonly Statement[]): string[] =>
  statements.flatMap((statement) => (statement.kind === 'create-table' ? statement.table : []))

const tablesOf = ({ tables }: Snapshot): string[] => Object.values(tables).map(sqlName)
