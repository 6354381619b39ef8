import { mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import type { SqliteConnection, SqliteDriver } from '../../../src/copy/sqlite-reader.ts'
import { sqliteTarget } from '../../../src/copy/sqlite-target.ts'
import type { CopyTestTarget } from './target.ts'

export const sqliteDriver = (modules: string): SqliteDriver =>
  createRequire(join(modules, 'package.json'))('better-sqlite3')

/** A connection that does not wait for locks, closed after the test. */
export function openFile(modules: string, file: string): SqliteConnection {
  const connection = new (sqliteDriver(modules))(file, { timeout: 0 })
  connection.pragma('journal_mode = WAL')
  connection.pragma('foreign_keys = ON')
  return connection
}

export const newFile = (name: string): string => join(mkdtempSync(join(inject('drafts'), 'copy-')), name)

export async function sqliteTestTarget(modules: string): Promise<CopyTestTarget> {
  const file = newFile('test.db')
  const other = openFile(modules, file)
  onTestFinished(() => void other.close())
  return {
    kind: 'sqlite',
    countingKey: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    run: async (statement) => other.exec(statement),
    rows: async (query) =>
      (other.prepare(query).raw().safeIntegers().all() as unknown[][]).map((row) =>
        row.map((value) => (value === null ? null : String(value))),
      ),
    open: async () => sqliteTarget(openFile(modules, file)),
  }
}
