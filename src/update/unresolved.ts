import { readDisk } from '../project/disk.ts'
import { UserError } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { isUndone } from './apply.ts'
import type { Pending } from './journal.ts'
import { hasMarkers } from './merge-text.ts'
import { listed } from './pending.ts'

/**
 * Refuses to finish an update whose conflicts are not resolved.
 * @throws UserError: conflicts if markers are left; refused if the update was undone by other means
 */
export function refuseUnresolved(fs: FileSystem, project: string, pending: Pending): void {
  if (isUndone(fs, project, pending)) {
    throw new UserError(
      'refused',
      'The update seems to have been undone by other means: its files or migrations are as before. Complete that with `regenerate --abort`, or end the update without changing a file: `regenerate --forget`.',
    )
  }
  const left = pending.conflicts.filter((path) => {
    const file = readDisk(fs, project, path)
    return file.kind === 'text' && hasMarkers(path, file.text)
  })
  if (left.length === 0) return
  throw new UserError(
    'conflicts',
    `Conflict markers are left in ${listed(left)}. Resolve the conflicts, then run \`regenerate --continue\`.`,
  )
}
