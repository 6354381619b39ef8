import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../src/config.ts'

/** A database of a test's own: an empty file in a temporary folder. `remove` deletes it. */
export async function temporaryDatabase(): Promise<{ url: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'test-database-'))
  return {
    url: `file:${join(folder, 'test.db')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** All that the database has ever written to the disk, in latin1: what a thief of it could search. */
export async function readDisk({ file }: Config['database']): Promise<string> {
  const parts = await Promise.all([readFile(file), readFile(`${file}-wal`)])
  return Buffer.concat(parts).toString('latin1')
}
