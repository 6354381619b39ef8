import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { connect } from '../../src/db/database.ts'
import { patient, runOnServer, testServer } from './server.ts'

/** Whether this machine can create databases that processes share. */
export const canCreate = testServer !== undefined

/** Creates a database on the server. @param statements SQL to run in it @returns its address */
export async function newDatabase(statements = ''): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await runOnServer(`CREATE DATABASE ${name}`)
  onTestFinished(async () => void (await runOnServer(`DROP DATABASE ${name} WITH (FORCE)`)))
  const url = new URL(testServer as string)
  url.pathname = name
  const connection = await connect({ url: url.href, poolSize: 1, ...patient })
  await connection.query(statements)
  await connection.end()
  return url.href
}

/** Holds the lock of another process that migrates. @returns a function that releases it */
export async function lockMigrations(url: string): Promise<() => Promise<void>> {
  const connection = await connect({ url, poolSize: 1, ...patient })
  onTestFinished(() => connection.end())
  await connection.query(
    `BEGIN; SELECT pg_advisory_xact_lock(hashtext('__drizzle_migrations'), hashtext(current_schema()))`,
  )
  return async () => void (await connection.query('COMMIT'))
}
