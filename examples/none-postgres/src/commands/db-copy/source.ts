import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bookkeeping, CopyError, type DatabaseKind, messageOf, quoted, type Source } from './database.ts'
import { loadDriver } from './driver.ts'
import { createPostgresReader, type PostgresQuery, setUpSession } from './postgres-reader.ts'
import { createSqliteReader, type SqliteConnection } from './sqlite-reader.ts'

export const isDatabaseUrl = (url: string): boolean => /^(postgres(ql)?:\/\/|file:(?!.*:memory:)).+/.test(url)

/**
 * Opens the database to copy from, for reading only.
 * @param say is told what takes long
 * @throws CopyError where it cannot be opened, or its driver cannot be had
 */
export async function openSource(url: string, say: (line: string) => void): Promise<Source> {
  const kind: DatabaseKind = url.startsWith('file:') ? 'sqlite' : 'postgres'
  const driver = await loadDriver(kind, say)
  try {
    return await (kind === 'sqlite' ? openSqlite(driver, url) : openPostgres(driver, url))
  } catch (error) {
    throw new CopyError(`Cannot open the database to copy from: ${messageOf(error)}`)
  }
}

async function openSqlite(driver: unknown, url: string): Promise<Source> {
  const file = url.startsWith('file:///') ? fileURLToPath(url) : resolve(url.slice('file:'.length))
  const Connection = driver as new (
    file: string,
    options: { readonly: boolean; fileMustExist: boolean },
  ) => SqliteConnection
  return sqliteSource(new Connection(file, { readonly: true, fileMustExist: true }))
}

/** The state of the database at this moment, whatever others write from now on. */
export function sqliteSource(connection: SqliteConnection): Source {
  // Counts the transactions of other connections.
  const version = () => connection.pragma('data_version', { simple: true })
  connection.exec('BEGIN')
  connection.prepare('SELECT 1 FROM sqlite_master').all()
  const before = version()
  return {
    ...createSqliteReader(connection),
    migrations: async () => {
      const [exists] = connection.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').all(bookkeeping)
      const rows = exists ? connection.prepare(`SELECT created_at FROM ${bookkeeping}`).raw().all() : []
      return new Set(rows.flat().map(Number))
    },
    hasChanged: async () => {
      connection.exec('COMMIT')
      return version() !== before
    },
    close: async () => void connection.close(),
  }
}

interface PostgresClient {
  on(event: 'error', listener: () => void): unknown
  connect(): Promise<unknown>
  query(query: { text: string; values: unknown[]; rowMode: 'array' }): Promise<{ rows: (string | null)[][] }>
  end(): Promise<void>
}

async function openPostgres(driver: unknown, url: string): Promise<Source> {
  const { Client } = driver as {
    Client: new (options: { connectionString: string; connectionTimeoutMillis: number }) => PostgresClient
  }
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 })
  // A lost connection is met by the next query; an event that nobody listens to would end the process.
  client.on('error', () => {})
  await client.connect()
  const query: PostgresQuery = async (text, values = []) =>
    (await client.query({ text, values, rowMode: 'array' })).rows
  return postgresSource(query, () => client.end())
}

/** The state of the database at this moment, whatever others write from now on. */
export async function postgresSource(query: PostgresQuery, close: () => Promise<void>): Promise<Source> {
  await setUpSession(query)
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const reader = createPostgresReader(query)
  const tables = await reader.tables()
  // Each row knows the transaction that wrote it: another row, another version or a row less makes another sum.
  const versions = async () => {
    const sums: unknown[] = []
    for (const { name } of tables)
      sums.push(await query(`SELECT concat(count(*), ' ', sum(xmin::text::bigint)) FROM ${quoted(name)}`))
    return sums
  }
  const before = await versions()
  return {
    ...reader,
    migrations: async () => {
      const [[exists] = []] = await query(`SELECT to_regclass('${bookkeeping}')::text`)
      const rows = exists ? await query(`SELECT created_at::text FROM ${bookkeeping}`) : []
      return new Set(rows.flat().map(Number))
    },
    hasChanged: async () => {
      await query('COMMIT')
      return String(await versions()) !== String(before)
    },
    close,
  }
}
