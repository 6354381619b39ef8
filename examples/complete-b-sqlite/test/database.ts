import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'

/** A database of a test's own. */
export interface TestDatabase {
  /** For DATABASE_URL. */
  url: string
  /** Opens it, with all migrations applied. */
  open(settings: Config['database']): Promise<Database>
  /** Deletes it. */
  remove(): Promise<void>
}

/** An empty file in a temporary folder. */
export async function temporaryDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'test-database-'))
  return {
    url: `file:${join(folder, 'test.db')}`,
    open: async (settings) => {
      await migrate(settings)
      return openDatabase(settings)
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** All that the database of an app has ever written to the disk, in latin1: what a thief of it could search. */
export async function readDisk({ config }: { config: Config }): Promise<string> {
  const { file } = config.database
  const parts = await Promise.all([readFile(file), readFile(`${file}-wal`)])
  return Buffer.concat(parts).toString('latin1')
}
