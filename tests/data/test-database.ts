import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { openPglite } from './pglite.ts'

export type Row = Record<string, unknown>

/** An empty database for one test. */
export interface TestDatabase {
  /** Runs statements in one transaction, with foreign keys on, as the service runs its queries. */
  run(...statements: readonly string[]): Promise<void>
  /** Runs statements in one transaction, as the service runs its migrations. */
  migrate(...statements: readonly string[]): Promise<void>
  rows(query: string): Promise<Row[]>
  remove(): Promise<void>
}

/**
 * SQLite in memory, with the driver of a generated project.
 * @param modules a folder whose node_modules holds the driver
 */
export function openSqlite(modules: string): TestDatabase {
  const SQLite = createRequire(join(modules, 'package.json'))('better-sqlite3')
  const connection = new SQLite(':memory:')
  const run: TestDatabase['run'] = async (...statements) =>
    connection.transaction(() => {
      for (const statement of statements) connection.exec(statement)
      const broken = connection.pragma('foreign_key_check')
      if (broken.length > 0) throw new Error(`Rows without the row they refer to: ${JSON.stringify(broken)}`)
    })()
  return {
    run,
    async migrate(...statements) {
      connection.pragma('foreign_keys = OFF')
      await run(...statements.map(withExpressions))
      connection.pragma('foreign_keys = ON')
    },
    rows: async (query) => connection.prepare(query).all(),
    remove: async () => connection.close(),
  }
}

/** PostgreSQL: a new schema on the server at TEST_DATABASE_URL, or on PGlite if it is not set. */
export async function openPostgres(modules: string): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  return server ? onServer(modules, server) : inMemory(modules)
}

async function onServer(modules: string, connectionString: string): Promise<TestDatabase> {
  const pg = createRequire(join(modules, 'package.json'))('pg')
  const client = new pg.Client({ connectionString })
  const schema = newSchema()
  await client.connect()
  await client.query(
    `SET client_min_messages = warning; CREATE SCHEMA ${schema}; SET search_path TO ${schema}`,
  )
  const run: TestDatabase['run'] = async (...statements) => {
    await client.query('BEGIN')
    try {
      for (const statement of statements) await client.query(inCurrentSchema(statement))
      await client.query('COMMIT')
    } finally {
      // Does nothing after a COMMIT.
      await client.query('ROLLBACK')
    }
  }
  return {
    run,
    migrate: run,
    rows: async (query) => (await client.query(query)).rows,
    async remove() {
      await client.query(`DROP SCHEMA ${schema} CASCADE`)
      await client.end()
    },
  }
}

/** The part of PGlite's API that the tests use. */
interface Server {
  exec(sql: string): Promise<unknown>
  query(sql: string): Promise<{ rows: Row[] }>
  transaction(work: (tx: Server) => Promise<void>): Promise<void>
}

/** Each test has a separate schema. */
async function inMemory(modules: string): Promise<TestDatabase> {
  const server = await openPglite<Server>(modules)
  const schema = newSchema()
  await server.exec(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}`)
  const run: TestDatabase['run'] = (...statements) =>
    server.transaction(async (tx) => {
      for (const statement of statements) await tx.exec(inCurrentSchema(statement))
    })
  return {
    run,
    migrate: run,
    rows: async (query) => (await server.query(query)).rows,
    remove: async () => void (await server.exec(`DROP SCHEMA ${schema} CASCADE`)),
  }
}

const newSchema = (): string => `test_${randomUUID().replaceAll('-', '')}`

/**
 * Removes the schema name, as migrate.ts of the service does, and CONCURRENTLY, which no transaction allows and which
 * makes no difference to small tables.
 */
const inCurrentSchema = (statement: string): string =>
  statement.replaceAll(/"public"\.|(?<=\bINDEX)\s+CONCURRENTLY\b/gi, '')

/** Removes the quotes of expressions, as migrate.ts of the service does. */
const withExpressions = (statement: string): string =>
  /^\s*CREATE (UNIQUE )?INDEX\b/.test(statement)
    ? statement.replaceAll(/`([^`]*)`/g, (name, inner: string) => (/["(]/.test(inner) ? inner : name))
    : statement
