import { randomUUID } from 'node:crypto'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/pglite'
import type { Transaction as Connection, Database } from '../../src/db/database.ts'

/** Shared by the tests of a worker, because it takes a second to start. */
let pglite: Promise<PGlite> | undefined

/**
 * Creates a migrated schema in PGlite, which has one connection. Queries and transactions take turns, each in the schema
 * of its test. A test that awaits `db.read` inside a transaction waits forever. No schema is used twice, because the
 * connection keeps the statistics of its tables.
 */
export async function inMemory() {
  pglite ??= PGlite.create()
  const server = await pglite
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  await server.exec(`CREATE SCHEMA ${schema}`)

  const inSchema = <Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    server.transaction(async (tx) => {
      await tx.exec(`SET LOCAL search_path TO ${schema}`)
      return work(tx)
    }) as Promise<Result>

  // CONCURRENTLY makes no difference to empty tables, and no transaction allows it.
  await inSchema(async (tx) => {
    for (const migration of readMigrationFiles({ migrationsFolder: 'migrations/postgres' }))
      await tx.exec(migration.sql.join('').replaceAll(/"public"\.|(?<=\bINDEX)\s+CONCURRENTLY\b/gi, ''))
  })
  return {
    url: 'postgres://nobody@localhost/in-memory',
    open: async (): Promise<Database> => openIn(inSchema),
    remove: async () => void (await server.exec(`DROP SCHEMA ${schema} CASCADE`)),
  }
}

/** Drizzle's types name the driver, although the queries of both are the same. */
const connectionOf = (client: object) => drizzle({ client: client as PGlite }) as unknown as Connection

function openIn(inSchema: <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>): Database {
  let isOpen = true
  const whileOpen: typeof inSchema = async (work) => {
    if (!isOpen) throw new Error('The database is closed')
    return inSchema(work)
  }
  const query: PGlite['query'] = async (...query) => whileOpen((tx) => tx.query(...query))
  return {
    read: drizzle({ client: { query } as PGlite }),
    transaction: async (work) =>
      whileOpen(async (tx) => {
        let refusal: unknown
        const query = async (...query: Parameters<Transaction['query']>) => {
          if (refusal) throw refusal
          return tx.query(...query).catch((error: unknown) => {
            refusal ??= error
            throw error
          })
        }
        const result = await work(connectionOf({ query }))
        if (refusal) throw refusal
        return result
      }),
    ping: async () => void (await query('SELECT 1')),
    close: async () => {
      isOpen = false
    },
  }
}
