import type { Address } from './address.ts'
import { cannotOpen, quoted, type Source } from './database.ts'
import { openPostgres, type PostgresDriver, type PostgresQuery, setUpSession } from './postgres-connection.ts'
import { appliedOnPostgres, postgresReader } from './postgres-reader.ts'
import { appliedOnSqlite, type SqliteConnection, type SqliteDriver, sqliteReader } from './sqlite-reader.ts'

/**
 * Opens the database to copy from, read-only.
 * @param driver the module of better-sqlite3 or pg
 * @throws UserError (failed) if it cannot be opened, (refused) if row-level security hides rows
 */
export async function openSource(driver: unknown, address: Address): Promise<Source> {
  try {
    if (address.kind === 'sqlite')
      return sqliteSource(new (driver as SqliteDriver)(address.file, { readonly: true, fileMustExist: true }))
    return await openPostgres(driver as PostgresDriver, address.url, postgresSource)
  } catch (error) {
    throw cannotOpen('copy from', error)
  }
}

/** Starts a transaction, so that all queries see the state at this moment. */
function sqliteSource(connection: SqliteConnection): Source {
  // Changes with each transaction of another connection.
  const version = () => connection.pragma('data_version', { simple: true })
  connection.exec('BEGIN')
  connection.prepare('SELECT 1 FROM sqlite_master').all()
  const before = version()
  return {
    ...sqliteReader(connection),
    migrations: async () => appliedOnSqlite(connection),
    hasChanged: async () => {
      connection.exec('COMMIT')
      return version() !== before
    },
    close: async () => void connection.close(),
  }
}

/** Starts a transaction, so that all queries see the state at this moment. */
async function postgresSource(query: PostgresQuery, close: () => Promise<void>): Promise<Source> {
  await setUpSession(query)
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const reader = postgresReader(query)
  const tables = await reader.tables()
  // xmin is the transaction that wrote a row. A new, changed or deleted row changes the sum.
  const versions = async () => {
    const sums: unknown[] = []
    for (const { name } of tables)
      sums.push(await query(`SELECT concat(count(*), ' ', sum(xmin::text::bigint)) FROM ${quoted(name)}`))
    return sums
  }
  const before = await versions()
  return {
    ...reader,
    migrations: () => appliedOnPostgres(query),
    hasChanged: async () => {
      await query('COMMIT')
      return String(await versions()) !== String(before)
    },
    close,
  }
}
