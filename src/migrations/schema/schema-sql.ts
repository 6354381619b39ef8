import { refused } from '../../system/errors.ts'
import type { Snapshot, SnapshotTable } from '../drizzle-kit/folder.ts'
import { groupOf } from '../drizzle-kit/snapshot.ts'
import { type CreateTable, type Statement, statementsOf, type TableChange } from '../sql/statements.ts'
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
  /** The schema that the generator wrote last, and earlier ones. */
  readonly generated: DatabaseSchema
  readonly older: () => readonly DatabaseSchema[]
  /** What needs the tables, for errors: "mode basic A", "the add-on memos". */
  readonly what: string
}

/**
 * The statements that add what the new snapshot has and the last one does not. Skips what an earlier switch left in the
 * database.
 * @throws UserError (refused) if the owner has a table or column with the name of a new one, because its rows are theirs
 */
export function schemaStatements({ dialect, existing, what, ...change }: SchemaChange): Statement[] {
  const before = tablesByName(change.before)
  const after = tablesByName(change.after)
  /** Whether the code uses a column, index or constraint from now on. */
  const isNew = (table: string, item: string) =>
    hasItem(after.get(table), item) && !hasItem(before.get(table), item)
  const isMissing = (table: string, constraint: string) =>
    isNew(table, constraint) && !existing.hasConstraint(table, constraint)
  let older: readonly DatabaseSchema[] | undefined
  /** Whether the generator wrote something that the database has. */
  const isOurs = (has: (schema: DatabaseSchema) => boolean): boolean => {
    if (has(change.generated)) return true
    older ??= change.older()
    return older.some(has)
  }

  return statementsOf(change.init, dialect).flatMap((statement) => {
    const found = missing(statement)
    for (const each of found) existing.apply(each)
    return found
  })

  function missing(statement: Statement): Statement[] {
    switch (statement.kind) {
      case 'create-table':
        return existing.hasTable(statement.table) ? missingIn(statement) : missingTable(statement)
      case 'create-index': {
        const { table, index } = statement
        if (!isNew(table, index)) return []
        refuseTaken(table, index)
        return existing.hasIndex(index) ? [] : [statement]
      }
      case 'alter-table': {
        const { table, changes } = statement
        const adds = (one: TableChange) => one.kind === 'add-constraint' && isMissing(table, one.name)
        return changes.some(adds) ? [statement] : []
      }
      default:
        return []
    }
  }

  function missingTable(statement: CreateTable): Statement[] {
    const { table, constraints } = statement
    if (!after.has(table) || before.has(table)) return []
    for (const name of constraints.keys()) refuseTaken(table, name)
    return [statement]
  }

  function missingIn({ table, columns, constraints }: CreateTable): Statement[] {
    if (!isOurs((schema) => schema.hasTable(table))) throw tableCollision(table, dialect, what)
    for (const column of columns.keys())
      if (existing.has(table, column) && !isOurs((schema) => schema.has(table, column)))
        throw collision(`column "${column}" of "${table}"`, 'column', what)
    const added = [...columns].filter(([column]) => isNew(table, column) && !existing.has(table, column))
    // Only PostgreSQL has them here: for SQLite, Drizzle Kit creates an index of this name.
    const constrained = [...constraints].filter(([name]) => isMissing(table, name))
    for (const [name] of constrained) refuseTaken(table, name)
    return [
      ...added.flatMap(([column, definition]) => addColumn(table, column, definition, dialect)),
      ...constrained.flatMap(([, definition]) =>
        statementsOf(`ALTER TABLE "${table}" ADD ${definition};`, dialect),
      ),
    ]
  }

  /** A unique constraint of PostgreSQL has an index of its name. */
  function refuseTaken(table: string, index: string): void {
    const has = (schema: DatabaseSchema) => schema.hasIndex(index) || schema.hasConstraint(table, index)
    if (existing.hasIndex(index) && !isOurs(has)) throw collision(`index "${index}"`, 'index', what)
  }
}

/** @throws UserError for a required column without a default, which existing rows cannot have */
function addColumn(table: string, column: string, definition: string, dialect: Dialect): Statement[] {
  if (/\bNOT NULL\b/.test(definition) && !/\bDEFAULT\b/.test(definition))
    throw refused(
      `A migration of yours renamed or removed "${column}" of "${table}", which existing rows need. Add a migration with \`ALTER TABLE ${table} RENAME COLUMN <your name> TO ${column}\`, then run the command again.`,
    )
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
  Object.keys(table ?? {}).some((group) => Object.hasOwn(groupOf(table, group), name))
