import type { Folder, Snapshot, SnapshotTable } from '../drizzle-kit/folder.ts'
import { namesIn } from '../drizzle-kit/snapshot.ts'
import { type Statement, statementsOf, type TableChange } from '../sql/statements.ts'
import type { Dialect } from '../sql/tokens.ts'

interface Table {
  readonly columns: Set<string>
  readonly indexes: Set<string>
  readonly constraints: Set<string>
}

/**
 * The tables of a database after a folder's migrations. They include what a switch left behind, which the last snapshot
 * no longer lists.
 */
export class DatabaseSchema {
  readonly #tables = new Map<string, Table>()
  readonly #renamed = new Set<string>()

  hasTable = (table: string): boolean => this.#tables.has(table)
  hasIndex = (index: string): boolean => this.#tableOf(index) !== undefined
  hasConstraint = (table: string, name: string): boolean =>
    this.#tables.get(table)?.constraints.has(name) ?? false

  /** Whether a migration renamed the table, and no later one brings it back. */
  isRenamed = (table: string): boolean => this.#renamed.has(table) && !this.hasTable(table)

  /** Whether the table has all of the columns. */
  has = (table: string, ...columns: readonly string[]): boolean =>
    columns.every((column) => this.#tables.get(table)?.columns.has(column))

  apply(statement: Statement): void {
    switch (statement.kind) {
      case 'create-table':
        if (!this.hasTable(statement.table))
          this.#create(statement.table, statement.columns.keys(), statement.constraints.keys())
        break
      case 'create-index':
        ;(this.#tables.get(statement.table) ?? this.#create(statement.table)).indexes.add(statement.index)
        break
      case 'drop-tables':
        for (const table of statement.tables) this.#tables.delete(table)
        break
      case 'drop-indexes':
        for (const index of statement.indexes) this.#tableOf(index)?.indexes.delete(index)
        break
      case 'rename-index': {
        const table = this.#tableOf(statement.index)
        if (table?.indexes.delete(statement.index)) table.indexes.add(statement.to)
        break
      }
      case 'alter-table':
        for (const change of statement.changes) this.#change(statement.table, change)
    }
  }

  /** Adds what a snapshot has and the previous one does not, even if the migration's SQL does not mention it. */
  addNew(before: Snapshot | undefined, after: Snapshot, dialect: Dialect): void {
    // As `Cursor.name()` returns it: the case of a name does not matter in SQLite.
    const known = (name: string) => (dialect === 'sqlite' ? name.toLowerCase() : name)
    for (const [key, table] of Object.entries(after.tables)) {
      const older = before?.tables[key]
      const name = known(sqlName(table))
      const mine = this.#tables.get(name) ?? (older ? undefined : this.#create(name))
      for (const [group, names] of [
        ['columns', mine?.columns],
        ['indexes', mine?.indexes],
        ['uniqueConstraints', mine?.constraints],
        ['foreignKeys', mine?.constraints],
      ] as const) {
        const seen = namesIn(older, group)
        for (const each of namesIn(table, group)) if (!seen.includes(each)) names?.add(known(each))
      }
    }
  }

  #create(name: string, columns?: Iterable<string>, constraints?: Iterable<string>): Table {
    const table = { columns: new Set(columns), indexes: new Set<string>(), constraints: new Set(constraints) }
    this.#tables.set(name, table)
    return table
  }

  #tableOf(index: string): Table | undefined {
    return [...this.#tables.values()].find(({ indexes }) => indexes.has(index))
  }

  #change(name: string, change: TableChange): void {
    const table = this.#tables.get(name)
    if (!table) return
    const { columns, indexes, constraints } = table
    switch (change.kind) {
      case 'rename-table':
        this.#tables.delete(name)
        this.#renamed.add(name)
        this.#tables.set(change.to, table)
        break
      case 'add-constraint':
        constraints.add(change.name)
        // An index that a constraint uses belongs to it, and has its name.
        indexes.delete(change.name)
        break
      case 'drop-constraint':
        constraints.delete(change.name)
        break
      case 'add-column':
        columns.add(change.name)
        break
      default:
        if (columns.delete(change.name) && change.kind === 'rename-column') columns.add(change.to)
    }
  }
}

/** The schema of a database after all migrations of the folder. */
export function databaseSchemaOf({ migrations, dialect }: Folder): DatabaseSchema {
  const existing = new DatabaseSchema()
  migrations.forEach(({ sql, snapshot }, index) => {
    for (const statement of statementsOf(sql, dialect)) existing.apply(statement)
    existing.addNew(migrations[index - 1]?.snapshot, snapshot, dialect)
  })
  return existing
}

/** The name of a table as used in statements. */
export const sqlName = ({ name, schema }: SnapshotTable): string => (schema ? `${schema}.${name}` : name)
