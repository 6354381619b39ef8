import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { succeed } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { createDatabase, readTables, runSql } from './postgres.ts'
import { bytesBelow } from './secrets.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

/** Why tests on this kind of database cannot run here, or undefined if they can. */
export function serverMissing(database: DatabaseKind): string | undefined {
  const server = inject('postgres')
  return database === 'postgres' && 'missing' in server ? server.missing : undefined
}

/** A database for one test, of the kind that the project uses. */
export interface OwnDatabase {
  env: Record<string, string> & { DATABASE_URL: string }
  /** The current content: SQLite's files including the write-ahead log, or the rows on a server. */
  bytes(): Promise<Buffer>
  /** Runs an SQL statement. */
  write(statement: string): Promise<void>
  rows(query: string): Promise<object[]>
}

/** The maximum, because many parallel requests on a busy machine take longer than the default of 2 seconds. */
export const LONG_TIMEOUTS = { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '600000' }

/** Creates an empty database. It is removed when all tests have run. */
export function newDatabase(project: Report): Promise<OwnDatabase> {
  return project.answers.database === 'postgres' ? onServer() : inFile(project)
}

async function onServer(): Promise<OwnDatabase> {
  const server = inject('postgres')
  if ('missing' in server) throw new Error(server.missing)
  const url = await createDatabase(server)
  return {
    env: { DATABASE_URL: url, ...LONG_TIMEOUTS },
    bytes: async () => Buffer.from(await readTables(url)),
    write: async (statement) => void (await runSql(url, statement)),
    rows: async (query) => JSON.parse((await runSql(url, `SELECT json_agg(t) FROM (${query}) t`)) || '[]'),
  }
}

async function inFile({ directory }: Report): Promise<OwnDatabase> {
  const folder = mkdtempSync(join(inject('scratch'), 'data-'))
  const file = join(folder, 'app.db')
  /** Uses the project's driver, because the repository has none. */
  const inProject = async (statement: string, call: 'run' | 'all') => {
    const script = `console.log(JSON.stringify(new (require('better-sqlite3'))(process.argv[1]).prepare(process.argv[2]).${call}()))`
    const args = ['--input-type=commonjs', '--eval', script, file, statement]
    return JSON.parse((await succeed('node', args, { cwd: directory })).stdout)
  }
  return {
    env: { DATABASE_URL: `file:${file}` },
    bytes: async () => bytesBelow(folder),
    write: (statement) => inProject(statement, 'run'),
    rows: (query) => inProject(query, 'all'),
  }
}
