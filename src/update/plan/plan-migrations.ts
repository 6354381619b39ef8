import type { Answers } from '../../answers/answers.ts'
import { journalPath } from '../../migrations/drizzle-kit/folder.ts'
import { type MigrationSwitch, type SwitchedMigrations, switchMigrations } from '../../migrations/switch.ts'
import { refuseBelowLink } from '../../project/disk.ts'
import type { Project } from '../../project/manifest.ts'
import type { Tree } from '../../project/tree.ts'
import { refused } from '../../system/errors.ts'
import type { System } from '../../system/system.ts'
import type { UpdateFile } from '../files/file.ts'
import type { Change } from '../journal/journal.ts'

export interface PlannedMigrations extends Omit<SwitchedMigrations, 'files'> {
  readonly files: readonly UpdateFile[]
}

/**
 * Plans the new files of migrations/.
 * @param generated the files that are or were generated, with their decisions
 * @throws UserError (refused) if the migrations folder is damaged, or a path cannot be written
 */
export function planMigrations(
  system: System,
  options: Omit<MigrationSwitch, 'deleted'>,
  generated: readonly UpdateFile[],
): PlannedMigrations {
  const deleted = generated.filter(({ decision }) => decision.action === 'delete').map(({ path }) => path)
  const switched = switchMigrations(system, { ...options, deleted: new Set(deleted) })
  const files = [...switched.files].map(([path, text]) => addMigration(options.project.tree, path, text))
  return { ...switched, files }
}

function addMigration(tree: Tree, path: string, text: string): UpdateFile {
  const disk = tree.file(path)
  refuseBelowLink(path, disk)
  if (disk.kind === 'other') {
    throw refused(`${path} is ${disk.what}. Replace it with a text file.`)
  }
  if (disk.kind === 'absent') return { path, disk, decision: { action: 'create', text } }
  return { path, disk, decision: { action: 'update', text } }
}

/**
 * Drizzle Kit may add a migration of the owner's tables, which drops what they removed: an undo of the switch must not leave
 * it behind unseen.
 */
export function watchedJournal(
  { tree, manifest }: Project,
  { database }: Answers,
  files: readonly UpdateFile[],
): Change[] {
  const path = journalPath(database)
  const disk = tree.file(path)
  const isWatched = database !== manifest.answers.database && !files.some((file) => file.path === path)
  return isWatched && disk.kind === 'text' ? [{ path, before: disk, after: disk }] : []
}
