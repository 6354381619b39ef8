import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '../../src/db/database.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Whether this machine can back up and restore. */
export const canRestore = true

/** An address at which there is no database. */
export const noDatabase = 'file:/nowhere/app.db'

/** Creates a database. @param statements SQL to run in it @returns its address */
export async function newDatabase(statements = ''): Promise<string> {
  const file = join(await temporaryFolder(), 'app.db')
  const connection = connect({ file, busyTimeoutMs: 0 })
  connection.exec(statements)
  connection.close()
  return `file:${file}`
}

/** Restores a backup as docs/database.md does. @returns the address of the new database */
export async function restore(backup: string): Promise<string> {
  const file = join(await temporaryFolder(), 'app.db')
  await copyFile(backup, file)
  return `file:${file}`
}
