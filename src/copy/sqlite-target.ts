import { BREAKPOINT } from '../migrations/sql/statements.ts'
import { failed, refused } from '../system/errors.ts'
import { compareApplied, hashOf } from './applied.ts'
import {
  MIGRATIONS,
  messageOf,
  type PendingMigration,
  quoted,
  RowError,
  type Table,
  type Target,
} from './database.ts'
import { appliedOnSqlite, query, type SqliteConnection, sqliteReader } from './sqlite-reader.ts'
import { toSqlite } from './sqlite-values.ts'

/** Creates a target that writes on this connection. */
export function sqliteTarget(connection: SqliteConnection): Target {
  const reader = sqliteReader(connection)
  let triggers: string[][] = []
  return {
    ...reader,
    migrate: async (migrations) => migrate(connection, migrations),
    begin: async () => {
      begin(connection)
      triggers = query(connection, `SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`) as string[][]
      // The owner's triggers have already run for these rows.
      for (const [name = ''] of triggers) connection.exec(`DROP TRIGGER ${quoted(name)}`)
      return []
    },
    insert: insert(connection),
    restore: async () => {
      for (const [, sql = ''] of triggers) connection.exec(sql)
      checkReferences(connection)
    },
    setCounters: async (counters) => setCounters(connection, await reader.tables(), counters),
    commit: async () => void connection.exec('COMMIT'),
    close: async () => void connection.close(),
  }
}

function begin(connection: SqliteConnection): void {
  // Rows may refer to rows of tables that are copied later. `restore` checks all references.
  connection.pragma('foreign_keys = OFF')
  try {
    connection.exec('BEGIN IMMEDIATE')
  } catch (error) {
    throw refused(`Another process writes to the target. Stop it first (${messageOf(error)})`)
  }
}

const insert =
  (connection: SqliteConnection): Target['insert'] =>
  async (table, columns, rows) => {
    const names = columns.map(({ name }) => quoted(name)).join(', ')
    const statement = connection.prepare(
      `INSERT INTO ${quoted(table)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    for (const [index, row] of rows.entries()) {
      try {
        const values = columns.map(({ kind, type }, at) => {
          const value = row[at] ?? null
          return value === null ? null : toSqlite(kind, value, type)
        })
        statement.run(...values)
      } catch (error) {
        throw new RowError(index, messageOf(error))
      }
    }
  }

function checkReferences(connection: SqliteConnection): void {
  const broken = connection.pragma('foreign_key_check') as { table: string; rowid: number; parent: string }[]
  const [first] = broken
  if (first)
    throw failed(
      `${broken.length} rows refer to missing rows, the first is row ${first.rowid} of ${first.table}, which refers to ${first.parent}`,
    )
}

function setCounters(connection: SqliteConnection, tables: Table[], counters: Map<string, bigint>): void {
  const tablesWithCounter = `SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'`
  const counting = query(connection, tablesWithCounter).flat()
  for (const { name, key } of tables) {
    const last = counters.get(`${name}.${key[0]}`)
    if (!counting.includes(name) || !last) continue
    // SQLite creates this entry with a table's first row. A table that is empty now may have had rows, unless it is 0.
    connection
      .prepare(
        'INSERT INTO sqlite_sequence SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)',
      )
      .run(name, name)
    connection.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?').run(last, name)
  }
}

/** Migrates as the service does when it starts. */
function migrate(connection: SqliteConnection, migrations: readonly PendingMigration[]): void {
  // A migration changes a column by dropping and recreating its table, which would delete the rows that refer to it.
  connection.pragma('foreign_keys = OFF')
  connection.exec('BEGIN IMMEDIATE')
  try {
    connection.exec(
      `CREATE TABLE IF NOT EXISTS ${MIGRATIONS} (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)`,
    )
    const { pending, repeated } = compareApplied(migrations, appliedOnSqlite(connection))
    const redate = connection.prepare(
      `UPDATE ${MIGRATIONS} SET created_at = ? WHERE hash = ? AND created_at = ?`,
    )
    for (const { migration, row } of repeated) redate.run(migration.when, row.hash, row.time)
    const record = connection.prepare(`INSERT INTO ${MIGRATIONS} (hash, created_at) VALUES (?, ?)`)
    for (const migration of pending) {
      for (const statement of migration.sql.split(BREAKPOINT)) connection.exec(withExpressions(statement))
      record.run(hashOf(migration), migration.when)
    }
    const broken = connection.pragma('foreign_key_check') as unknown[]
    if (broken.length > 0) throw new Error(`${broken.length} rows lack the row they refer to`)
    connection.exec('COMMIT')
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK')
  }
}

/** As migrate.ts of the service does: Drizzle Kit quotes the expression of an index when it copies its table. */
const withExpressions = (statement: string): string =>
  /^\s*CREATE (UNIQUE )?INDEX\b/.test(statement)
    ? statement.replaceAll(/`([^`]*)`/g, (name, inner: string) => (/["(]/.test(inner) ? inner : name))
    : statement
