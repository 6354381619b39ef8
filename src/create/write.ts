import { dirname, join, relative } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { failed, interrupted, refused, UserError } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { shorten } from '../system/printing.ts'
import { removeStale } from '../system/stale-folders.ts'
import type { System } from '../system/system.ts'
import { codeOf, fileOf, reasonOf } from '../system/system-error.ts'
import { inspectTarget, STAGING, type Target, topmostMissing } from './target.ts'

export interface ProjectFile {
  /** Relative to the project, with `/` between segments. */
  readonly path: string
  readonly text: string
  /** Permissions, if they differ from the default. */
  readonly mode?: number
}

/**
 * Writes a project completely or not at all: into a temporary folder on the same file system, then with one rename. An
 * existing target stays, because a shell may be in it: the entries are moved into it synchronously, so that no signal
 * can interrupt that, and moved back if one move fails.
 * @param files what to write, without the entries that the target keeps
 * @param unique lower-case letters and digits, unique to this run
 * @throws UserError: refused if the target changed in the meantime, interrupted, or failed (disk full, no permission).
 *   Then nothing is left behind.
 */
export async function writeProject(
  system: Pick<System, 'fs' | 'signal' | 'pid' | 'isAlive'>,
  target: Target,
  files: readonly ProjectFile[],
  unique: string,
): Promise<void> {
  const { fs, signal, pid } = system
  removeStale(system, target.stagingParent, STAGING)
  const staging = join(target.stagingParent, `.create-authsmith-${pid}-${unique}`)
  const top = target.exists ? target.path : topmostMissing(fs, target.path)
  try {
    fs.mkdirSync(staging)
    await writeFiles(fs, join(staging, relative(top, target.path)), files, signal)
    if (target.exists) moveEntries(fs, staging, target)
    else renameNew(fs, staging, top)
  } catch (error) {
    throw asUserError(error, fileOf(error, target.path).replace(staging, top))
  } finally {
    fs.rmSync(staging, { recursive: true, force: true })
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
    // Lets the listener of a signal run, which happens between two turns of the event loop.
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

/** Renames to a free name. rename() alone would replace a file or an empty folder that was created in the meantime. */
function renameNew(fs: FileSystem, from: string, to: string): void {
  if (fs.lstatSync(to, { throwIfNoEntry: false })) throw appeared(to)
  fs.renameSync(from, to)
}

const appeared = (path: string): UserError =>
  refused(`${path} was created in the meantime. Nothing was written.`)

function asUserError(error: unknown, path: string): unknown {
  const code = codeOf(error)
  if (error instanceof UserError || code === undefined) return error
  if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return appeared(path)
  const at = shorten(path, 200)
  return failed(`Cannot write ${at}: ${reasonOf(error)}. Nothing was left behind.`)
}
