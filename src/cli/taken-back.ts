import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseAddress } from '../copy/address.ts'
import { openSource } from '../copy/source.ts'
import { readEnv } from '../env/env-file.ts'
import { journalEntries, journalPath } from '../migrations/drizzle-kit/folder.ts'
import { readDisk } from '../project/disk.ts'
import type { System } from '../system/system.ts'
import type { Change, Pending } from '../update/journal/journal.ts'

/**
 * The migrations of an undone update that the database has already run: `npm run dev` runs them while conflicts are
 * resolved. Looks only at the SQLite file in .env. Empty if that is not possible, because the update is undone anyway.
 * @returns a note for the owner
 */
export async function takenBackNotes({ fs }: System, project: string, pending: Pending): Promise<string[]> {
  try {
    const entries = pending.changes.flatMap(addedBy)
    const env = readDisk(fs, project, '.env')
    const url = env.kind === 'text' ? readEnv(env.text).DATABASE_URL : undefined
    if (entries.length === 0 || !url?.startsWith('file:')) return []
    const driver: unknown = createRequire(join(project, 'package.json'))('better-sqlite3')
    const source = await openSource(driver, parseAddress('DATABASE_URL', url, project))
    const applied = await source.migrations().finally(() => source.close())
    const ran = entries.filter(({ when }) => applied.some(({ time }) => time === when))
    if (ran.length === 0) return []
    return [
      `${url.slice('file:'.length)} has already run ${ran.map(({ tag }) => tag).join(', ')}: to undo that, restore a backup. If you repeat the same update, its tables are recognized.`,
    ]
  } catch {
    return []
  }
}

/** The migrations that a change of SQLite's journal adds. */
function addedBy({ path, before, after }: Change): { tag: string; when: number }[] {
  if (!after || path !== journalPath('sqlite')) return []
  const known = before ? journalEntries(before.bytes.toString()) : []
  return journalEntries(after.bytes.toString()).filter(({ when }) =>
    known.every((each) => each.when !== when),
  )
}
