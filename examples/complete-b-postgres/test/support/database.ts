import { randomUUID } from 'node:crypto'
import { PGlite, type Transaction as PGliteTransaction } from '@electric-sql/pglite'
import { type SQL, sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/pglite'
import type { Config } from '../../src/config.ts'
import { connect, type Database, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { testServer, withParameter } from './server.ts'

/** A database for one test. */
export interface TestDatabase {
  /** For DATABASE_URL. */
  url: string
  /** Opens it, with all migrations applied. */
  open(settings: Config['database']): Promise<Database>
  /** Deletes it. */
  remove(): Promise<void>
}

/** Timeouts that a busy machine does not reach. A test of a timeout opens a separate database. */
const patient = { connectTimeoutMs: 300_000, statementTimeoutMs: 300_000 }

/** An empty schema on the server, or in PGlite. */
export async function temporaryDatabase(): Promise<TestDatabase> {
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  return testServer === undefined ? inMemory(schema) : onServer(testServer, schema)
}

async function onServer(server: string, schema: string): Promise<TestDatabase> {
  await runOn(server, `CREATE SCHEMA ${schema}`)
  return {
    url: withParameter(server, 'search_path', schema),
    open: async (settings) => {
      await migrate(settings)
      return openDatabase({ ...settings, ...patient })
    },
    remove: () => runOn(server, `DROP SCHEMA ${schema} CASCADE`),
  }
}

async function runOn(server: string, statement: string): Promise<void> {
  const connection = await connect({ url: server, poolSize: 1, ...patient })
  await connection.query(`SET client_min_messages = warning; ${statement}`)
  await connection.end()
}

/** Shared by the tests of a worker, because it takes a second to start. */
let pglite: Promise<PGlite> | undefined

/**
 * PGlite has one connection. Queries and transactions take turns, each in the schema of its test. A test that awaits
 * `db.read` inside a transaction waits forever.
 */
async function inMemory(schema: string): Promise<TestDatabase> {
  pglite ??= PGlite.create()
  const server = await pglite
  await server.exec(`CREATE SCHEMA ${schema}`)
  let isOpen = true

  const inSchema = <Result>(work: (tx: PGliteTransaction) => Promise<Result>): Promise<Result> => {
    if (!isOpen) throw new Error('The database is closed')
    return server.transaction(async (tx) => {
      await tx.exec(`SET LOCAL search_path TO ${schema}`)
      return work(tx)
    }) as Promise<Result>
  }
  const query: PGlite['query'] = async (...query) => inSchema((tx) => tx.query(...query))

  const database: Database = {
    read: drizzle({ client: { query } as PGlite }),
    transaction: async (work) => inSchema((tx) => work(drizzle({ client: tx as unknown as PGlite }))),
    ping: async () => void (await query('SELECT 1')),
    close: async () => {
      isOpen = false
    },
  }
  return {
    url: 'postgres://nobody@localhost/in-memory',
    open: async () => {
      // CONCURRENTLY makes no difference to empty tables, and no transaction allows it.
      await inSchema(async (tx) => {
        for (const migration of readMigrationFiles({ migrationsFolder: 'migrations/postgres' }))
          await tx.exec(migration.sql.join('').replaceAll(/"public"\.|(?<=\bINDEX)\s+CONCURRENTLY\b/gi, ''))
      })
      return database
    },
    remove: async () => void (await server.exec(`DROP SCHEMA ${schema} CASCADE`)),
  }
}

/** Everything in the database of an app, as text: what an attacker with a copy could search. */
export const readDisk = ({ db }: { db: Database }): Promise<string> =>
  db.transaction(async (tx) => {
    const rows = async (query: SQL) => ((await tx.execute(query)) as { rows: Record<string, string>[] }).rows
    const tables = await rows(sql`SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`)
    const contents: string[] = []
    for (const { tablename = '' } of tables)
      contents.push(JSON.stringify(await rows(sql`SELECT t::text FROM ${sql.identifier(tablename)} t`)))
    return contents.join('\n')
  })
