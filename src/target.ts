import type { Stats } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { UserError } from './errors.ts'
import { shorten } from './escape.ts'
import type { FileSystem } from './file-system.ts'
import { nameFault } from './names.ts'

/** What may already lie in the target: a fresh repository, as a forge makes it. None of it is ever overwritten. */
const TOLERATED = ['.git', 'LICENSE', 'README.md', '.gitignore']

/** Temporary folders are named after the process that writes them, so that a later run can tell the dead ones. */
export const STAGING = /^\.create-authsmith-(\d+)-[a-z0-9]+$/

/** What one name in a path may hold on every common file system. */
const SEGMENT_MAX_BYTES = 255

/** A place for a project. */
export interface Place {
  /** As the user gave it. */
  readonly directory: string
  /** Absolute path of the project. */
  readonly path: string
  /** The last segment: the project's name. */
  readonly name: string
}

/** A place that was looked at. */
export interface Target extends Place {
  /** Whether the folder is there already, and what it holds that stays. */
  readonly exists: boolean
  readonly kept: readonly string[]
  /** Where the temporary folder goes: beside the topmost folder that has to be made, or in the existing target. */
  readonly stagingParent: string
}

/** @throws UserError (refused) where the current directory was removed */
export function refuseMissingDirectory(cwd: string): void {
  if (cwd === '') {
    throw new UserError('refused', 'the current directory does not exist any more; change to another one')
  }
}

/**
 * Reads the directory argument.
 * @throws UserError (usage) where the last segment is no project name
 */
export function parseDirectory(directory: string, cwd: string): Place {
  const fault = (reason: string) => new UserError('usage', `directory "${shorten(directory)}" ${reason}`)
  if (directory === '') throw fault('must not be empty; give a name such as my-api')
  if (/\p{Cc}/u.test(directory)) throw fault('must not hold control characters')
  const segments = directory.replace(/[/\\]+$/, '').split(sep === '\\' ? /[/\\]/ : '/')
  if (segments.some((segment) => Buffer.byteLength(segment) > SEGMENT_MAX_BYTES)) {
    throw fault(`must not hold a name of more than ${SEGMENT_MAX_BYTES} bytes`)
  }
  const last = segments.at(-1)
  if (last === '..' || (last === '.' && !isHere(directory))) {
    throw fault('must end with the name of the project')
  }
  const path = resolve(cwd, directory)
  const name = basename(path)
  const nameProblem = nameFault(name)
  if (nameProblem) throw fault(`ends with the project's name, which ${nameProblem}`)
  return { directory, path, name }
}

/** Whether the directory argument is the directory that the user is in. */
export function isHere(directory: string): boolean {
  return /^\.[/\\]*$/.test(directory)
}

/**
 * Looks at the place where the project goes, and changes nothing.
 * @throws UserError (refused) where something is in the way
 */
export function inspectTarget(fs: FileSystem, place: Place): Target {
  const { path } = place
  const found = lookAt(fs, path)
  if (!found) {
    return { ...place, exists: false, kept: [], stagingParent: dirname(topmostMissing(fs, path)) }
  }
  // A symlink, dangling or not, would let whoever placed it choose where the project and its secrets go (CWE-59).
  if (found.isSymbolicLink())
    throw new UserError('refused', `${path} is a symbolic link; give a real directory`)
  if (!found.isDirectory()) throw new UserError('refused', `${path} is not a directory; give another name`)
  const entries = entriesOf(fs, path).filter((entry) => !STAGING.test(entry))
  const foreign = entries.filter((entry) => !TOLERATED.includes(entry))
  if (foreign.length > 0) {
    const shown = foreign.slice(0, 3).join(', ') + (foreign.length > 3 ? ', …' : '')
    throw new UserError(
      'refused',
      `${path} is not empty (${shown}); only ${TOLERATED.join(', ')} may be there: empty it or give another name`,
    )
  }
  return { ...place, exists: true, kept: entries.sort(), stagingParent: path }
}

/** The temporary folder of this process. `unique`: lower-case letters and digits. */
export function stagingFolder(target: Target, pid: number, unique: string): string {
  return join(target.stagingParent, `.create-authsmith-${pid}-${unique}`)
}

/** The first folder on the way to `path` that does not exist: the only one that has to be renamed into place. */
export function topmostMissing(fs: FileSystem, path: string): string {
  const parent = dirname(path)
  if (!lookAt(fs, parent)) return topmostMissing(fs, parent)
  if (!isDirectory(fs, parent))
    throw new UserError('refused', `${parent} is not a directory; give another place`)
  return path
}

function lookAt(fs: FileSystem, path: string): Stats | undefined {
  try {
    return fs.lstatSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unreadable(path, error)
  }
}

function entriesOf(fs: FileSystem, path: string): string[] {
  try {
    return fs.readdirSync(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Follows links; a dangling one or a circle of them leads to no directory. */
function isDirectory(fs: FileSystem, path: string): boolean {
  try {
    return fs.statSync(path).isDirectory()
  } catch {
    return false
  }
}

function unreadable(path: string, error: unknown): UserError {
  const { code } = error as NodeJS.ErrnoException
  return new UserError('refused', `${shorten(path)} cannot be read (${code}); give another place`)
}
