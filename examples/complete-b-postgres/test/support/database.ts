import { type SQL, sql } from 'drizzle-orm'
import type { Config } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { inMemory } from './pglite.ts'
import { createReset } from './reset.ts'
import { newSchema, patient, runOnServer, testServer } from './server.ts'

/** A database for one test. */
export interface TestDatabase {
  /** For DATABASE_URL. */
  url: string
  /** Opens it, with all migrations applied. */
  open(settings: Config['database']): Promise<Database>
  /** Deletes everything in it. Close all connections first. */
  remove(): Promise<void>
}

/** Migrated, empty schemas on the server that no test of this worker uses: migrating takes longer than most tests. */
const unused: Awaited<ReturnType<typeof onServer>>[] = []

/** An empty schema with all migrations applied, on the server or in PGlite. */
export async function temporaryDatabase(): Promise<TestDatabase> {
  if (testServer === undefined) return inMemory()
  const schema = unused.pop() ?? (await onServer())
  const remove = async () => {
    if (await schema.reset()) unused.push(schema)
    else await schema.remove()
  }
  return { ...schema, remove }
}

async function onServer() {
  const { name, url, remove } = await newSchema()
  await migrate({ url, poolSize: 1, ...patient })
  const open: TestDatabase['open'] = async (settings) => openDatabase({ ...settings, ...patient })
  return { url, open, reset: await createReset(runOnServer, name), remove }
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
