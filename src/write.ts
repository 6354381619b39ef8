import { dirname, join, relative } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { interrupted, UserError } from './errors.ts'
import { shorten } from './escape.ts'
import type { FileSystem } from './file-system.ts'
import { reasonOf } from './system-error.ts'
import { inspectTarget, STAGING, stagingFolder, type Target, topmostMissing } from './target.ts'

export interface ProjectFile {
  /** Relative to the project, with `/` between segments. */
  readonly path: string
  readonly text: string
  /** Permissions, where they are not the usual ones. */
  readonly mode?: number
}

export interface WriteOptions {
  readonly signal: AbortSignal
  readonly pid: number
  readonly isAlive: (pid: number) => boolean
  /** Lower-case letters and digits that no other run has. */
  readonly unique: string
}

/**
 * Writes a project whole or not at all: into a temporary folder on the same file system, which one rename then
 * makes the project. Where the target exists (`.`, or a repository with only a README), its own folder must stay,
 * for a shell may stand in it: there the finished top-level entries are moved in, in one synchronous go that no signal
 * can split, and moved out again if one of them fails.
 * @param files what to write; none of it may be one of the entries that the target keeps
 * @throws UserError: refused where the target changed meanwhile, interrupted, or failed (disk full, no permission).
 *   Nothing is left behind then.
 */
export async function writeProject(
  fs: FileSystem,
  target: Target,
  files: readonly ProjectFile[],
  options: WriteOptions,
): Promise<void> {
  removeStale(fs, target.stagingParent, options.isAlive)
  const staging = stagingFolder(target, options.pid, options.unique)
  const top = target.exists ? target.path : topmostMissing(fs, target.path)
  try {
    fs.mkdirSync(staging)
    await writeFiles(fs, join(staging, relative(top, target.path)), files, options.signal)
    if (target.exists) moveEntries(fs, staging, target)
    else renameNew(fs, staging, top)
  } catch (error) {
    throw asUserError(error, target.path)
  } finally {
    remove(fs, staging)
  }
}

async function writeFiles(fs: FileSystem, root: string, files: readonly ProjectFile[], signal: AbortSignal) {
  const made = new Set<string>()
  for (const { path, text, mode = 0o666 } of files) {
    if (signal.aborted) throw interrupted()
    const file = join(root, path)
    const folder = dirname(file)
    if (!made.has(folder)) fs.mkdirSync(folder, { recursive: true })
    made.add(folder)
    fs.writeFileSync(file, text, { mode, flag: 'wx' })
    // Lets a signal in that arrived meanwhile: its listener runs between two turns of the event loop.
    await nextTurn()
  }
  if (signal.aborted) throw interrupted()
}

function moveEntries(fs: FileSystem, staging: string, target: Target): void {
  inspectTarget(fs, target)
  const moved: string[] = []
  try {
    for (const entry of fs.readdirSync(staging)) {
      renameNew(fs, join(staging, entry), join(target.path, entry))
      moved.push(entry)
    }
  } catch (error) {
    for (const entry of moved) fs.renameSync(join(target.path, entry), join(staging, entry))
    throw error
  }
}

/** Renames to a name that is free. rename() itself would replace a file or an empty folder that appeared meanwhile. */
function renameNew(fs: FileSystem, from: string, to: string): void {
  if (fs.lstatSync(to, { throwIfNoEntry: false })) throw appeared(to)
  fs.renameSync(from, to)
}

function appeared(path: string): UserError {
  return new UserError('refused', `${path} appeared meanwhile; nothing was written`)
}

function asUserError(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (error instanceof UserError || code === undefined) return error
  if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return appeared(path)
  return new UserError(
    'failed',
    `cannot write ${shorten(path, 200)}: ${reasonOf(error)}; nothing was left behind`,
  )
}

/**
 * Removes temporary folders of processes that are no more (killed with -9, or the power went). What cannot be read
 * or removed belongs to somebody else, and is in nobody's way.
 */
function removeStale(fs: FileSystem, parent: string, isAlive: (pid: number) => boolean): void {
  try {
    for (const entry of fs.readdirSync(parent, { withFileTypes: true })) {
      const pid = STAGING.exec(entry.name)?.[1]
      if (pid && entry.isDirectory() && !isAlive(Number(pid))) remove(fs, join(parent, entry.name))
    }
  } catch {}
}

function remove(fs: FileSystem, folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true })
}
