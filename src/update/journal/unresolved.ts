import { describeVariant } from '../../answers/variant.ts'
import { hasMarkers } from '../../merge/merge-text.ts'
import { readDisk } from '../../project/disk.ts'
import type { Project } from '../../project/manifest.ts'
import { UserError } from '../../system/errors.ts'
import type { FileSystem } from '../../system/file-system.ts'
import { isOutdated, isUndone, migrationsInPlace } from './apply.ts'
import type { Change, Pending } from './journal.ts'
import { listed, pendingFault, readPending } from './pending.ts'

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

/**
 * The journal of an update whose conflicts are resolved: `--abort` takes back a resolution that chose between the two
 * sides. One with lines of the owner's own counts as an edit after the update.
 */
export function withResolutions(fs: FileSystem, project: string, pending: Pending): Pending {
  const changes = pending.changes.map((change): Change => {
    const disk = readDisk(fs, project, change.path)
    if (!pending.conflicts.includes(change.path) || disk.kind !== 'text' || !change.after) return change
    const offered = linesOf(change.after.bytes.toString())
    const isChoice = [...linesOf(disk.bytes.toString())].every((line) => offered.has(line))
    return isChoice ? { ...change, after: { bytes: disk.bytes, mode: disk.mode } } : change
  })
  return { ...pending, changes }
}

const linesOf = (text: string): ReadonlySet<string> => new Set(text.split('\n').map((line) => line.trim()))

/**
 * Refuses to forget an update whose migration would stay: it runs at the next start, but the manifest does not know it.
 * A damaged journal, or one of before another update was pulled, can only be forgotten.
 */
export function refuseMigrated(fs: FileSystem, { path, manifest }: Project): void {
  const pending = readableJournal(fs, path)
  if (!pending || isOutdated(fs, path, pending)) return
  const migrations = migrationsInPlace(fs, path, pending)
  if (migrations.length === 0) return
  const [stays, runs] = migrations.length === 1 ? ['stays', 'runs'] : ['stay', 'run']
  throw new UserError(
    'refused',
    `${pendingFault(pending).message} With \`--forget\`, ${listed(migrations)} ${stays} and ${runs} at the next start, although the project counts as ${describeVariant(manifest.answers)}. To end the update nevertheless, run \`regenerate --forget --yes\`.`,
  )
}

function readableJournal(fs: FileSystem, project: string): Pending | undefined {
  try {
    return readPending(fs, project)
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}
