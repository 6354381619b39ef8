import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { succeed } from './command.ts'
import { createDatabase, readTables, runSql } from './postgres.ts'
import type { Report } from './project.ts'
import { bytesBelow } from './secrets.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

/** Why the tests of a database's kind cannot run here; undefined where they can. */
export function serverMissing(database: DatabaseKind): string | undefined {
  const server = inject('postgres')
  return database === 'postgres' && 'missing' in server ? server.missing : undefined
}

/** A database of a test's own, of the kind that the project was created for. */
export interface OwnDatabase {
  env: { DATABASE_URL: string }
  /** All that it holds as it is now: SQLite's files, with the write-ahead log; the rows that a server has. */
  bytes(): Promise<Buffer>
  /** Runs a statement, as an owner would. */
  write(statement: string): Promise<void>
  rows(query: string): Promise<object[]>
}

/** A new empty database. The folder of the SQLite ones, and the ones of the server, are removed when all tests have run. */
export function newDatabase(project: Report): Promise<OwnDatabase> {
  return project.answers.database === 'postgres' ? onServer() : inFile(project)
}

async function onServer(): Promise<OwnDatabase> {
  const server = inject('postgres')
  if ('missing' in server) throw new Error(server.missing)
  const url = await createDatabase(server)
  return {
    env: { DATABASE_URL: url },
    bytes: async () => Buffer.from(await readTables(url)),
    write: async (statement) => void (await runSql(url, statement)),
    rows: async (query) => JSON.parse((await runSql(url, `SELECT json_agg(t) FROM (${query}) t`)) || '[]'),
  }
}

async function inFile({ directory }: Report): Promise<OwnDatabase> {
  const folder = mkdtempSync(join(inject('scratch'), 'data-'))
  const file = join(folder, 'app.db')
  /** With the project's own driver: we have none. */
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
