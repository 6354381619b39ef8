import { type MigrationSwitch, type SwitchedMigrations, switchMigrations } from '../../migrations/switch.ts'
import { refuseBelowLink } from '../../project/disk.ts'
import type { Tree } from '../../project/tree.ts'
import { UserError } from '../../system/errors.ts'
import type { System } from '../../system/system.ts'
import type { UpdateFile } from './file.ts'

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
    throw new UserError('refused', `${path} is ${disk.what}. Replace it with a text file.`)
  }
  if (disk.kind === 'absent') return { path, disk, decision: { action: 'create', text } }
  return { path, disk, decision: { action: 'update', text } }
}
