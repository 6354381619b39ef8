import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'

/** A database for one test. */
export interface TestDatabase {
  /** For DATABASE_URL. */
  url: string
  /** Opens it, with all migrations applied. */
  open(settings: Config['database']): Promise<Database>
  /** Deletes it. */
  remove(): Promise<void>
}

/** An empty database file with all migrations applied. Shared, because migrating takes longer than most tests. */
let migrated: Promise<Buffer> | undefined

/** An empty file in a temporary folder. */
export async function temporaryDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'test-database-'))
  return {
    url: `file:${join(folder, 'test.db')}`,
    open: async (settings) => {
      migrated ??= migrate(settings).then(() => readFile(settings.file))
      await writeFile(settings.file, await migrated)
      return openDatabase(settings)
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
