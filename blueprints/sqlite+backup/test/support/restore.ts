import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

/** Whether this machine can back up and restore. */
export const canRestore = true

/** An address at which there is no database. */
export const noDatabase = 'file:/nowhere/app.db'

/** Restores a backup as docs/database.md does. @returns the address of the new database */
export async function restore(backup: string): Promise<string> {
  const file = join(await temporaryFolder(), 'app.db')
  await copyFile(backup, file)
  return `file:${file}`
}
