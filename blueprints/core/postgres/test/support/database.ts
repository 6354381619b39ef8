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
