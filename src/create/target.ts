import { basename, dirname, resolve, sep } from 'node:path'
import { nameExample, nameFault } from '../answers/names.ts'
import { FOLDER } from '../project/records.ts'
import { COMMAND } from '../system/command.ts'
import { refused, wrongUsage } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { shellWord, shorten } from '../system/printing.ts'
import { codeOf } from '../system/system-error.ts'

/** Files that the target may contain, as in a new repository on GitHub. They are never overwritten. */
export const TOLERATED = ['.git', 'LICENSE', 'README.md', '.gitignore']

/** Temporary folders contain the id of their process, so that a later run can remove those of dead processes. */
export const STAGING = /^\.create-authsmith-(\d+)-[a-z0-9]+$/

/** A place for a project. */
export interface Place {
  /** As the user gave it. */
  readonly directory: string
  /** Absolute path of the project. */
  readonly path: string
  /** The last segment: the project's name. */
  readonly name: string
}

/** A place that was inspected. */
export interface Target extends Place {
  readonly exists: boolean
  /** Names of the files that the existing folder contains and that stay. */
  readonly kept: readonly string[]
  /** Where the temporary folder goes: next to the topmost missing folder, or in the existing target. */
  readonly stagingParent: string
}

/** Reads the directory argument. @throws UserError (usage) if the last segment is not a valid project name */
export function parseDirectory(directory: string, cwd: string): Place {
  const fault = (reason: string) => wrongUsage(`The directory "${shorten(directory)}" ${reason}.`)
  if (directory === '') throw fault('must not be empty. Pass a name such as my-api')
  if (/\p{Cc}/u.test(directory)) throw fault('must not contain control characters')
  const segments = directory.replace(/[/\\]+$/, '').split(sep === '\\' ? /[/\\]/ : '/')
  const last = segments.at(-1)
  if (last === '..' || (last === '.' && !isHere(directory)))
    throw fault('must end with the name of the project')
  const path = resolve(cwd, directory)
  const name = basename(path)
  const nameProblem = nameFault(name)
  if (nameProblem) throw fault(`ends with the project's name, which ${nameProblem}${nameExample(name)}`)
  return { directory, path, name }
}

/** The command that enters the project; none if the user is already there. */
export const enter = (directory: string): string[] =>
  isHere(directory) ? [] : [`cd ${shellWord(directory)}`]

/** Whether the directory argument is the current directory. */
const isHere = (directory: string): boolean => /^\.[/\\]*$/.test(directory)

/** Inspects the place for the project and changes nothing. @throws UserError (refused) if it cannot be written there */
export function inspectTarget(fs: FileSystem, place: Place): Target {
  const { path } = place
  const found = reading(path, () => fs.lstatSync(path))
  if (!found) return { ...place, exists: false, kept: [], stagingParent: dirname(topmostMissing(fs, path)) }
  // An attacker could place a symbolic link to choose where the project and its secrets are written (CWE-59).
  if (found.isSymbolicLink()) throw refused(`${path} is a symbolic link. Pass a real directory.`)
  if (!found.isDirectory()) throw refused(`${path} is not a directory. Pass another name.`)
  const entries = (reading(path, () => fs.readdirSync(path)) ?? []).filter((entry) => !STAGING.test(entry))
  const foreign = entries.filter((entry) => !TOLERATED.includes(entry))
  if (foreign.length > 0) {
    if (foreign.includes(FOLDER))
      throw refused(
        `${path} has a project of create-authsmith. To change or update it, run \`${COMMAND} regenerate\` in it.`,
      )
    const shown = foreign.slice(0, 3).join(', ') + (foreign.length > 3 ? ', …' : '')
    throw refused(
      `${path} is not empty (${shown}). It may contain only ${TOLERATED.join(', ')}. Empty it or pass another name.`,
    )
  }
  return { ...place, exists: true, kept: entries.sort(), stagingParent: path }
}

/** The topmost missing folder of `path`, which is the only one to rename into place. */
export function topmostMissing(fs: FileSystem, path: string): string {
  const parent = dirname(path)
  if (!reading(parent, () => fs.lstatSync(parent))) return topmostMissing(fs, parent)
  // Follows links. Nothing is below a dangling link.
  if (!reading(parent, () => fs.statSync(parent))?.isDirectory())
    throw refused(`${parent} is not a directory. Pass another path.`)
  return path
}

/** @returns undefined if nothing is there. @throws UserError (refused) if the path cannot be read */
function reading<Result>(path: string, read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw refused(`${shorten(path)} cannot be read (${code}). Pass another path.`)
  }
}
