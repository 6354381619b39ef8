import type { Folder, Snapshot, SnapshotTable } from '../drizzle-kit/folder.ts'
import { type Statement, statementsOf, type TableChange } from '../sql/statements.ts'
import type { Dialect } from '../sql/tokens.ts'

/**
 * The tables of a database after a folder's migrations. They include what a switch left behind, which the last snapshot
 * no longer lists.
 */
export class DatabaseSchema {
  readonly #columns = new Map<string, Set<string>>()
  /** The table of each index. */
  readonly #indexes = new Map<string, string>()
  /** `table constraint` */
  readonly #constraints = new Set<string>()

  hasTable = (table: string): boolean => this.#columns.has(table)
  hasIndex = (index: string): boolean => this.#indexes.has(index)
  hasConstraint = (table: string, name: string): boolean => this.#constraints.has(`${table} ${name}`)

  /** Whether the table has all of the columns. */
  has = (table: string, ...columns: readonly string[]): boolean =>
    columns.every((column) => this.#columns.get(table)?.has(column))

  apply(statement: Statement): void {
    switch (statement.kind) {
      case 'create-table':
        if (this.hasTable(statement.table)) break
        this.#columns.set(statement.table, new Set(statement.columns.keys()))
        for (const name of statement.constraints.keys()) this.#constraints.add(`${statement.table} ${name}`)
        break
      case 'create-index':
        this.#indexes.set(statement.index, statement.table)
        break
      case 'drop-tables':
        for (const table of statement.tables) this.#dropTable(table)
        break
      case 'drop-indexes':
        for (const index of statement.indexes) this.#indexes.delete(index)
        break
      case 'rename-index':
        this.#renameIndex(statement.index, statement.to)
        break
      case 'alter-table':
        for (const change of statement.changes) this.#change(statement.table, change)
    }
  }

  /** Adds what a snapshot has and the previous one does not, even if the migration's SQL does not mention it. */
  addNew(before: Snapshot | undefined, after: Snapshot, dialect: Dialect): void {
    // As `Cursor.name()` returns it: the case of a name does not matter in SQLite.
    const known = (name: string) => (dialect === 'sqlite' ? name.toLowerCase() : name)
    for (const [key, table] of Object.entries(after.tables)) {
      const name = known(sqlName(table))
      const older = before?.tables[key]
      if (!older && !this.hasTable(name)) this.#columns.set(name, new Set())
      for (const column of newKeys(older?.columns, table.columns)) this.#columns.get(name)?.add(known(column))
      for (const index of newKeys(older?.indexes, table.indexes)) this.#indexes.set(known(index), name)
      for (const group of ['uniqueConstraints', 'foreignKeys'])
        for (const constraint of newKeys(groupOf(older, group), groupOf(table, group)))
          this.#constraints.add(`${name} ${constraint}`)
    }
  }

  #dropTable(table: string): void {
    this.#columns.delete(table)
    for (const [index, of] of this.#indexes) if (of === table) this.#indexes.delete(index)
    for (const entry of this.#constraints) if (entry.startsWith(`${table} `)) this.#constraints.delete(entry)
  }

  #change(table: string, change: TableChange): void {
    const columns = this.#columns.get(table)
    if (change.kind === 'rename-table') this.#renameTable(table, change.to)
    else if (change.kind === 'add-constraint') this.#addConstraint(table, change.name)
    else if (change.kind === 'drop-constraint') this.#constraints.delete(`${table} ${change.name}`)
    else if (change.kind === 'add-column') columns?.add(change.name)
    else if (columns?.delete(change.name) && change.kind === 'rename-column') columns.add(change.to)
  }

  /** An index that a constraint uses belongs to it, and has its name. */
  #addConstraint(table: string, name: string): void {
    this.#constraints.add(`${table} ${name}`)
    this.#indexes.delete(name)
  }

  #renameIndex(index: string, to: string): void {
    const table = this.#indexes.get(index)
    if (table === undefined) return
    this.#indexes.delete(index)
    this.#indexes.set(to, table)
  }

  #renameTable(table: string, to: string): void {
    const columns = this.#columns.get(table)
    if (!columns) return
    this.#columns.delete(table)
    this.#columns.set(to, columns)
    for (const [index, of] of this.#indexes) if (of === table) this.#indexes.set(index, to)
    for (const entry of [...this.#constraints]) {
      if (entry.startsWith(`${table} `)) this.#constraints.add(to + entry.slice(table.length))
    }
  }
}

/** The schema of a database after all migrations of the folder. */
export function databaseSchemaOf({ migrations }: Folder, dialect: Dialect): DatabaseSchema {
  const existing = new DatabaseSchema()
  let before: Snapshot | undefined
  for (const { sql, snapshot } of migrations) {
    for (const statement of statementsOf(sql, dialect)) existing.apply(statement)
    existing.addNew(before, snapshot, dialect)
    before = snapshot
  }
  return existing
}

/** The name of a table as used in statements. */
export const sqlName = ({ name, schema }: SnapshotTable): string => (schema ? `${schema}.${name}` : name)

const groupOf = (table: SnapshotTable | undefined, group: string): object => {
  const found = table?.[group]
  return typeof found === 'object' && found !== null ? found : {}
}

const newKeys = (older: object | undefined, newer: object): string[] =>
  Object.keys(newer).filter((key) => !older || !Object.hasOwn(older, key))
