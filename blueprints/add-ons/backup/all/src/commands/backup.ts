import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { readConfig } from '../config.ts'
import { dump } from './dump.ts'

/** `npm run db:backup -- <file>`. Exit codes: 0 done, 1 failed, 2 wrong usage. */
const [file = '', ...others] = process.argv.slice(2).filter((arg) => arg !== '--')
if (file === '' || file.startsWith('-') || others.length > 0) {
  console.error('Usage: db:backup <file>')
  process.exitCode = 2
} else {
  try {
    await backUp(file)
    console.log(`The backup is ${file}.`)
  } catch (error) {
    console.error(`No backup was written: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}

/**
 * Writes the backup under another name first: `target` exists only once it is complete and on the disk.
 * @throws Error if `target` exists, or the file that a killed process has left
 */
async function backUp(target: string): Promise<void> {
  if (existsSync(target)) throw new Error(`${target} exists. Choose another name.`)
  const partial = `${target}.partial`
  // Only this account may read it: other users of the machine could copy all password hashes.
  const handle = await open(partial, 'wx', 0o600)
  try {
    await dump(readConfig().database, partial)
    await handle.sync()
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
