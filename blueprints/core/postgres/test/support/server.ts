import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { inject } from 'vitest'
import { connect } from '../../src/db/database.ts'
import type { Run } from './reset.ts'

/** The server for the tests. Without one, they run on PGlite, which is PostgreSQL in the memory of this process. */
export const testServer = process.env.TEST_DATABASE_URL

/** Timeouts that a busy machine does not reach. A test of a timeout opens a separate database. */
export const patient = { connectTimeoutMs: 300_000, statementTimeoutMs: 300_000 }

/** The URL of a database with another default of a parameter, such as a role or a database can have. */
export function withParameter(url: string, name: string, value: string): string {
  const changed = new URL(url)
  const options = changed.searchParams.get('options') ?? ''
  changed.searchParams.set('options', `${options} -c ${name}=${value.replaceAll(' ', '\\ ')}`.trim())
  return changed.href
}

/** A schema for a test. */
export interface Schema {
  name: string
  /** For DATABASE_URL. Every connection to it has the name of the schema as its `application_name`. */
  url: string
  remove(): Promise<void>
}

/** Creates an empty schema on the server. */
export async function newSchema(): Promise<Schema> {
  // The prefix of this run, which remove-schemas.ts knows.
  const name = `${inject('schemaPrefix')}_${randomUUID().slice(0, 8)}`
  await runOnServer(`CREATE SCHEMA ${name}`)
  return {
    name,
    url: withParameter(withParameter(testServer as string, 'search_path', name), 'application_name', name),
    remove: async () => void (await runOnServer(`DROP SCHEMA ${name} CASCADE`)),
  }
}

/** Shared by the tests of a worker, because a connection takes longer than most statements. */
let connection: Promise<pg.Client> | undefined

/** Runs SQL on the server, outside of any test's schema. @returns the rows of its last statement */
export const runOnServer: Run = async (statements) => {
  connection ??= connect({ url: testServer as string, poolSize: 1, ...patient })
  const results = [await (await connection).query(statements)].flat()
  return results.at(-1)?.rows ?? []
}
