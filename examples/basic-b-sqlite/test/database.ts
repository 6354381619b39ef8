import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A database of a test's own: an empty file in a temporary folder. `remove` deletes it. */
export async function temporaryDatabase(): Promise<{ url: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'test-database-'))
  return {
    url: `file:${join(folder, 'test.db')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
