import { type MigrationSwitch, type SwitchedMigrations, switchMigrations } from '../../migrations/switch.ts'
import { readDisk, refuseLinkOnTheWay } from '../../project/disk.ts'
import { UserError } from '../../system/errors.ts'
import type { FileSystem } from '../../system/file-system.ts'
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
  const { path: root } = options.project
  const files = [...switched.files].map(([path, text]) => addMigration(system.fs, root, path, text))
  return { ...switched, files }
}

function addMigration(fs: FileSystem, root: string, path: string, text: string): UpdateFile {
  refuseLinkOnTheWay(fs, root, path)
  const disk = readDisk(fs, root, path)
  if (disk.kind === 'other') {
    throw new UserError('refused', `${path} is ${disk.what}. Replace it with a text file.`)
  }
  if (disk.kind === 'absent') return { path, disk, decision: { action: 'create', text } }
  return { path, disk, decision: { action: 'update', text } }
}
