import type { State } from '../../answers/variant.ts'
import { UserError } from '../../system/errors.ts'
import type { Snapshot, SnapshotTable } from '../drizzle-kit/folder.ts'
import { type Statement, statementsOf } from '../sql/statements.ts'
import type { Dialect } from '../sql/tokens.ts'
import { collision, tableCollision } from './collisions.ts'
import { type DatabaseSchema, sqlName } from './database-schema.ts'

export interface SchemaChange {
  readonly dialect: Dialect
  /** The SQL that creates the tables of the new state in an empty database. */
  readonly init: string
  /** The folder's last snapshot, and the new one. */
  readonly before: Snapshot
  readonly after: Snapshot
  /** The schema of the database. The new statements are applied to it. */
  readonly existing: DatabaseSchema
  /** The schemas that the generator wrote for the project so far. Read only if the database has something of a new name. */
  readonly generated: Iterable<DatabaseSchema>
  /** The new state. */
  readonly to: State
}

/**
 * The statements that add what the new snapshot has and the last one does not. Skips what an earlier switch left in the
 * database.
 * @throws UserError (refused) if the owner has a table or column with the name of a new one, because its rows are theirs
 */
export function schemaStatements(change: SchemaChange): Statement[] {
  const { dialect, init, existing, to } = change
  const generated = remembered(change.generated)
  const before = tablesByName(change.before)
  const after = tablesByName(change.after)
  /** Whether the code uses a column, index or constraint from now on. */
  const isNew = (table: string, item: string) =>
    hasItem(after.get(table), item) && !hasItem(before.get(table), item)

  return statementsOf(init, dialect).flatMap((statement) => {
    const found = missing(statement)
    for (const each of found) existing.apply(each)
    return found
  })

  /** A unique constraint of PostgreSQL has an index of its name. */
  function refuseTaken(table: string, index: string): void {
    const isOurs = (schema: DatabaseSchema) => schema.hasIndex(index) || schema.hasConstraint(table, index)
    if (existing.hasIndex(index) && !generated(isOurs)) throw collision(`index "${index}"`, 'index', to)
  }

  function missing(statement: Statement): Statement[] {
    if (statement.kind === 'create-table') {
      const { table, columns, constraints } = statement
      if (!existing.hasTable(table)) {
        if (!after.has(table) || before.has(table)) return []
        for (const name of constraints.keys()) refuseTaken(table, name)
        return [statement]
      }
      if (!generated((schema) => schema.hasTable(table))) throw tableCollision(table, dialect, to)
      for (const column of columns.keys())
        if (existing.has(table, column) && !generated((schema) => schema.has(table, column)))
          throw collision(`column "${column}" of "${table}"`, 'column', to)
      const added = [...columns]
        .filter(([column]) => isNew(table, column) && !existing.has(table, column))
        .flatMap(([column, definition]) => addColumn(table, column, definition, dialect))
      // Only PostgreSQL has them here: for SQLite, Drizzle Kit creates an index of this name.
      const missing = [...constraints].filter(
        ([name]) => isNew(table, name) && !existing.hasConstraint(table, name),
      )
      for (const [name] of missing) refuseTaken(table, name)
      const constrained = missing.flatMap(([, definition]) =>
        statementsOf(`ALTER TABLE "${table}" ADD ${definition};`, dialect),
      )
      return [...added, ...constrained]
    }
    if (statement.kind === 'create-index') {
      const { table, index } = statement
      if (isNew(table, index)) refuseTaken(table, index)
      return isNew(table, index) && !existing.hasIndex(index) ? [statement] : []
    }
    if (statement.kind === 'alter-table') {
      const { table, changes } = statement
      const isMissing = changes.some(({ kind, ...rest }) =>
        kind === 'add-constraint' && 'name' in rest
          ? isNew(table, rest.name) && !existing.hasConstraint(table, rest.name)
          : false,
      )
      return isMissing ? [statement] : []
    }
    return []
  }
}

/** Whether any of the schemas passes. Each is computed once, when it is needed. */
function remembered(
  schemas: Iterable<DatabaseSchema>,
): (passes: (one: DatabaseSchema) => boolean) => boolean {
  const known: DatabaseSchema[] = []
  const rest = schemas[Symbol.iterator]()
  return (passes) => {
    if (known.some(passes)) return true
    for (let next = rest.next(); !next.done; next = rest.next()) {
      known.push(next.value)
      if (passes(next.value)) return true
    }
    return false
  }
}

/** @throws UserError for a required column without a default, which existing rows cannot have */
function addColumn(table: string, column: string, definition: string, dialect: Dialect): Statement[] {
  if (/\bNOT NULL\b/.test(definition) && !/\bDEFAULT\b/.test(definition)) {
    throw new UserError(
      'refused',
      `A migration of yours renamed or removed "${column}" of "${table}", which existing rows need. Add a migration with \`ALTER TABLE ${table} RENAME COLUMN <your name> TO ${column}\`, then run the command again.`,
    )
  }
  const text =
    dialect === 'sqlite'
      ? `ALTER TABLE \`${table}\` ADD ${definition};`
      : `ALTER TABLE "${table}" ADD COLUMN ${definition};`
  return statementsOf(text, dialect)
}

const tablesByName = ({ tables }: Snapshot): Map<string, SnapshotTable> =>
  new Map(Object.values(tables).map((table) => [sqlName(table), table]))

/** A column, an index or a constraint: each is a key of one of the table's groups. */
const hasItem = (table: SnapshotTable | undefined, name: string): boolean =>
  Object.values(table ?? {}).some(
    (group) => typeof group === 'object' && group !== null && Object.hasOwn(group, name),
  )
