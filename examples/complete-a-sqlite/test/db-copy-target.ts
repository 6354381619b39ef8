import { onTestFinished } from 'vitest'
import type { Target } from '../src/commands/db-copy/database.ts'
import type { SqliteConnection } from '../src/commands/db-copy/sqlite-reader.ts'
import { createTarget } from '../src/commands/db-copy/target.ts'
import { connect } from '../src/db/database.ts'
import { temporaryDatabase } from './database.ts'

/** An empty database to copy into. */
export interface CopyTestTarget {
  kind: 'sqlite' | 'postgres'
  /** The type of a key that counts by itself and never gives a number out twice. */
  countingKey: string
  run(statement: string): Promise<unknown>
  /** All values as text. */
  rows(query: string): Promise<(string | null)[][]>
  /** To be handed to the copy. */
  open(): Promise<Target>
}

export async function copyTestTarget(): Promise<CopyTestTarget> {
  const database = await temporaryDatabase()
  onTestFinished(database.remove)
  const open = () => connect({ file: database.url.slice('file:'.length), busyTimeoutMs: 0 })
  const other = open()
  onTestFinished(() => void other.close())
  return {
    kind: 'sqlite',
    countingKey: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    run: async (statement) => other.exec(statement),
    rows: async (query) =>
      (other.prepare(query).raw().safeIntegers().all() as unknown[][]).map((row) =>
        row.map((value) => (value === null ? null : String(value))),
      ),
    open: async () => createTarget(open() as unknown as SqliteConnection),
  }
}
