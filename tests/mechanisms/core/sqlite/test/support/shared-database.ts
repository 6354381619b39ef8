import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { connect } from '../../src/db/database.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Whether this machine can create databases that processes share. */
export const canCreate = true

/** Creates a database that outlives its connections. @param statements SQL to run in it @returns its address */
export async function newDatabase(statements = ''): Promise<string> {
  const file = join(await temporaryFolder(), 'app.db')
  const connection = connect({ file, busyTimeoutMs: 0 })
  connection.exec(statements)
  connection.close()
  return `file:${file}`
}

/** Holds the lock of another process that migrates. @returns a function that releases it */
export async function lockMigrations(url: string): Promise<() => Promise<void>> {
  const connection = connect({ file: url.slice('file:'.length), busyTimeoutMs: 0 })
  onTestFinished(() => void connection.close())
  connection.exec('BEGIN IMMEDIATE')
  return async () => void connection.exec('COMMIT')
}
