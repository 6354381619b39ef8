import { randomUUID } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { connect } from '../../src/db/database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** How the names of all schemas of this run start. */
    schemaPrefix: string
  }
}

/** Removes the schemas of a run on a server after all tests. A run that is killed leaves them. */
export default function setup(project: TestProject): () => Promise<void> {
  const prefix = `test_${randomUUID().replaceAll('-', '')}`
  project.provide('schemaPrefix', prefix)
  return async () => {
    const url = process.env.TEST_DATABASE_URL as string
    const connection = await connect({ url, poolSize: 1, connectTimeoutMs: 300_000, statementTimeoutMs: 0 })
    const { rows } = await connection.query(
      'SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, $1)',
      [prefix],
    )
    for (const { name } of rows) await connection.query(`DROP SCHEMA ${name} CASCADE`)
    await connection.end()
  }
}
