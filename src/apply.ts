import { dirname, join } from 'node:path'
import { refuseLinkOnTheWay } from './disk.ts'
import type { FileSystem } from './file-system.ts'
import { FOLDER, IGNORED_TEXT, type OwnFile } from './own-files.ts'
import { type Change, type FileState, type Pending, pendingText } from './pending.ts'

/** In the generator's own folder, so that a killed run leaves nothing elsewhere; one run at a time writes it. */
const TEMPORARY = `${FOLDER}/write.tmp`

const IGNORED = `${FOLDER}/.gitignore`

/**
 * Starts an update: once this returns, it can be finished or taken back, whatever happens. Before it does, nothing of
 * the project has changed.
 */
export function begin(fs: FileSystem, project: string, pending: Pending): void {
  writeState(fs, project, IGNORED, { bytes: Buffer.from(IGNORED_TEXT) })
  writePending(fs, project, pending)
}

/**
 * Writes the changes that are not written yet, then the new manifest and base; where there are conflicts, leaves these
 * as they are until `complete`.
 * @returns the paths that somebody changed meanwhile; they are kept
 */
export function apply(fs: FileSystem, project: string, pending: Pending): string[] {
  const kept = pending.changes.filter((change) => !applyChange(fs, project, change)).map(({ path }) => path)
  if (pending.conflicts.length > 0) writePending(fs, project, { ...pending, state: 'conflicts' })
  else complete(fs, project, pending)
  return kept
}

/** Ends an update: what was generated now is what the next one compares with. */
export function complete(fs: FileSystem, project: string, pending: Pending): void {
  writeOwn(fs, project, 'base.json', pending.nextBase)
  writeOwn(fs, project, 'manifest.json', pending.nextManifest)
  fs.rmSync(join(project, FOLDER, 'pending.json'))
}

/** Takes an update back, byte for byte. */
export function takeBack(fs: FileSystem, project: string, pending: Pending): void {
  // From here on it can only be taken back: a half-restored project must not pass for one without conflicts.
  if (pending.state !== 'aborting') writePending(fs, project, { ...pending, state: 'aborting' })
  for (const { path, before } of pending.changes) {
    if (!isState(fs, project, path, before)) put(fs, project, path, before)
  }
  if (pending.previousBase === null) fs.rmSync(join(project, FOLDER, 'base.json'), { force: true })
  else writeOwn(fs, project, 'base.json', pending.previousBase)
  writeOwn(fs, project, 'manifest.json', pending.previousManifest)
  fs.rmSync(join(project, FOLDER, 'pending.json'))
}

/** The paths that are neither as they were before nor as they were written. */
export function changedMeanwhile(fs: FileSystem, project: string, { changes }: Pending): string[] {
  return changes
    .filter(({ path, before, after }) => [before, after].every((state) => !isState(fs, project, path, state)))
    .map(({ path }) => path)
}

/**
 * Whether somebody took the update back with other means, such as `git checkout`: its migrations are gone, or most of it.
 * A file or two that are as before are the owner's choice; so is any file with conflicts.
 */
export function isUndone(fs: FileSystem, project: string, { changes, conflicts }: Pending): boolean {
  const others = changes.filter(({ path }) => !conflicts.includes(path))
  const undone = others.filter(
    ({ path, before, after }) => isState(fs, project, path, before) && !isState(fs, project, path, after),
  )
  return undone.length > others.length / 2 || undone.some(({ path }) => path.startsWith('migrations/'))
}

/** The paths where neither a file can be written nor one removed: something else stands there. */
export function blocked(fs: FileSystem, project: string, { changes }: Pending): string[] {
  const isOther = (path: string) =>
    fs.lstatSync(join(project, path), { throwIfNoEntry: false })?.isDirectory() === true
  return changes.map(({ path }) => path).filter(isOther)
}

function applyChange(fs: FileSystem, project: string, { path, before, after }: Change): boolean {
  if (isState(fs, project, path, after)) return true
  if (!isState(fs, project, path, before)) return false
  put(fs, project, path, after)
  return true
}

function put(fs: FileSystem, project: string, path: string, state: FileState | null): void {
  refuseLinkOnTheWay(fs, project, path)
  if (state) writeState(fs, project, path, state)
  else remove(fs, project, path)
}

function isState(fs: FileSystem, project: string, path: string, state: FileState | null): boolean {
  refuseLinkOnTheWay(fs, project, path)
  const file = join(project, path)
  const stats = fs.lstatSync(file, { throwIfNoEntry: false })
  if (!stats || !state) return !stats && !state
  return stats.isFile() && stats.size === state.bytes.length && fs.readFileSync(file).equals(state.bytes)
}

function writePending(fs: FileSystem, project: string, pending: Pending): void {
  writeOwn(fs, project, 'pending.json', pendingText(pending), 0o600)
  flushFolder(fs, join(project, FOLDER))
}

function writeOwn(fs: FileSystem, project: string, file: OwnFile, text: string, mode?: number): void {
  writeState(fs, project, `${FOLDER}/${file}`, { bytes: Buffer.from(text), mode })
}

/** By one rename of a finished file: a reader, or a later run, sees the old bytes or the new ones. */
function writeState(fs: FileSystem, project: string, path: string, { bytes, mode }: FileState): void {
  const temporary = join(project, TEMPORARY)
  fs.rmSync(temporary, { force: true })
  fs.writeFileSync(temporary, bytes, { flag: 'wx', flush: true, ...(mode !== undefined && { mode }) })
  // The mode of a new file is lessened by the umask; this one has to be as it was.
  if (mode !== undefined) fs.chmodSync(temporary, mode)
  fs.mkdirSync(dirname(join(project, path)), { recursive: true })
  fs.renameSync(temporary, join(project, path))
}

/** Removes a file, and the folders that are empty without it; one that cannot be removed is in nobody's way. */
function remove(fs: FileSystem, project: string, path: string): void {
  fs.rmSync(join(project, path))
  try {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if (fs.readdirSync(join(project, folder)).length > 0) return
      fs.rmdirSync(join(project, folder))
    }
  } catch {}
}

/** After a loss of power the rename is there too. Windows cannot do this, and does not need it. */
function flushFolder(fs: FileSystem, folder: string): void {
  try {
    const handle = fs.openSync(folder, 'r')
    try {
      fs.fsyncSync(handle)
    } finally {
      fs.closeSync(handle)
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['EPERM', 'EISDIR', 'EACCES', 'EINVAL', 'EBADF'].includes(code)) throw error
  }
}
