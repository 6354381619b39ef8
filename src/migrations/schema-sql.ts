import { UserError } from '../errors.ts'
import type { Snapshot, SnapshotTable } from './folder.ts'
import { type Physical, physicalName } from './physical.ts'
import type { Dialect } from './sql-tokens.ts'
import { type Statement, statementsOf } from './statements.ts'

export interface SchemaChange {
  readonly dialect: Dialect
  /** The SQL that makes the tables of the new state in an empty database. */
  readonly init: string
  /** The folder's last snapshot, and the one to come. */
  readonly before: Snapshot
  readonly after: Snapshot
  /** What the database holds; with the new statements in the end. */
  readonly physical: Physical
}

/**
 * The statements that give a database what the next snapshot has more than the last one. What an earlier switch left there is
 * there already.
 * @throws UserError (refused) where a table of the owner's stands in the place of one of ours
 */
export function schemaStatements(change: SchemaChange): Statement[] {
  const { dialect, init, physical } = change
  const before = tablesByName(change.before)
  const after = tablesByName(change.after)
  /** The code has it from now on, and the database has not. */
  const isNew = (table: string, item: string) =>
    hasItem(after.get(table), item) && !hasItem(before.get(table), item)

  return statementsOf(init, dialect).flatMap((statement) => {
    const found = missing(statement)
    for (const each of found) physical.apply(each)
    return found
  })

  function missing(statement: Statement): Statement[] {
    if (statement.kind === 'create-table') {
      const { table, columns } = statement
      if (!physical.hasTable(table)) return after.has(table) && !before.has(table) ? [statement] : []
      return [...columns]
        .filter(([column]) => isNew(table, column) && !physical.has(table, column))
        .flatMap(([column, definition]) => addColumn(table, column, definition, dialect))
    }
    if (statement.kind === 'create-index') {
      const { table, index } = statement
      return isNew(table, index) && !physical.hasIndex(index) ? [statement] : []
    }
    if (statement.kind === 'alter-table') {
      const { table, changes } = statement
      const isMissing = changes.some(({ kind, ...rest }) =>
        kind === 'add-constraint' && 'name' in rest
          ? isNew(table, rest.name) && !physical.hasConstraint(table, rest.name)
          : false,
      )
      return isMissing ? [statement] : []
    }
    return []
  }
}

/** @throws UserError for a column that the rows of the table could not have */
function addColumn(table: string, column: string, definition: string, dialect: Dialect): Statement[] {
  if (/\bNOT NULL\b/.test(definition) && !/\bDEFAULT\b/.test(definition)) {
    throw new UserError(
      'refused',
      `the table "${table}" of yours is in the way of a new one that has the column "${column}": rename yours, and its migration, first`,
    )
  }
  const text =
    dialect === 'sqlite'
      ? `ALTER TABLE \`${table}\` ADD ${definition};`
      : `ALTER TABLE "${table}" ADD COLUMN ${definition};`
  return statementsOf(text, dialect)
}

const tablesByName = ({ tables }: Snapshot): Map<string, SnapshotTable> =>
  new Map(Object.values(tables).map((table) => [physicalName(table), table]))

/** A column, an index or a constraint: each is a key of one of the table's groups. */
const hasItem = (table: SnapshotTable | undefined, name: string): boolean =>
  Object.values(table ?? {}).some(
    (group) => typeof group === 'object' && group !== null && Object.hasOwn(group, name),
  )
