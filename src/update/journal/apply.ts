import { join } from 'node:path'
import { isSameExceptLayout } from '../../merge/layout.ts'
import { baseText } from '../../project/base.ts'
import { readDisk, refuseLinkOnTheWay } from '../../project/disk.ts'
import { manifestText } from '../../project/manifest.ts'
import { isMigration } from '../../project/path-rules.ts'
import { FOLDER, readRecordText } from '../../project/records.ts'
import type { FileSystem } from '../../system/file-system.ts'
import { type Change, type FileState, type Pending, pendingText } from './journal.ts'
import { flushFolder, ignoreJournals, remove, writeRecord, writeState } from './write-files.ts'

/**
 * Starts an update by writing its journal. From then on, the update can be finished or undone after any interruption.
 * Changes no other file of the project.
 */
export function begin(fs: FileSystem, project: string, pending: Pending): void {
  ignoreJournals(fs, project)
  writePending(fs, project, pending)
  removeUndo(fs, project)
}

/**
 * Writes the changes that are not written yet, then the new manifest and base. If there are conflicts, `end`
 * writes the manifest and base later.
 * @returns the paths that changed in the meantime and were kept
 */
export function apply(fs: FileSystem, project: string, pending: Pending): string[] {
  const kept = pending.changes.filter((change) => !applyChange(fs, project, change)).map(({ path }) => path)
  if (pending.conflicts.length > 0) writePending(fs, project, { ...pending, state: 'conflicts' })
  else end(fs, project, pending)
  return kept
}

/**
 * Ends an update: writes the new base, which the next update compares with. Keeps the journal as undo.tmp, with which
 * the update can be undone: git does not have .env.
 */
export function end(fs: FileSystem, project: string, pending: Pending): void {
  writeRecord(fs, project, 'base.json', baseText(pending.next.base))
  writeRecord(fs, project, 'manifest.json', manifestText(pending.next.manifest))
  fs.renameSync(join(project, FOLDER, 'pending.json'), join(project, FOLDER, 'undo.tmp'))
}

/**
 * Undoes an update: restores every file byte for byte, except those that the owner changed since, and deletes the journal.
 * @returns the paths that changed since the update and were kept
 */
export function undo(fs: FileSystem, project: string, pending: Pending): string[] {
  // From here on --continue is refused: a half-restored project must not look like one with resolved conflicts.
  if (pending.state !== 'aborting') writePending(fs, project, { ...pending, state: 'aborting' })
  const kept = changedSince(fs, project, pending)
  for (const { path, before } of pending.changes)
    if (!kept.includes(path) && !isState(fs, project, path, before)) put(fs, project, path, before)
  const { manifestText, baseText } = pending.previous
  if (baseText === undefined) fs.rmSync(join(project, FOLDER, 'base.json'), { force: true })
  else writeRecord(fs, project, 'base.json', baseText)
  writeRecord(fs, project, 'manifest.json', manifestText)
  forget(fs, project)
  return kept
}

/** Deletes the journals, and changes no other file. */
export function forget(fs: FileSystem, project: string): void {
  removeUndo(fs, project)
  fs.rmSync(join(project, FOLDER, 'pending.json'))
}

const removeUndo = (fs: FileSystem, project: string) =>
  fs.rmSync(join(project, FOLDER, 'undo.tmp'), { force: true })

/**
 * @returns the paths of files whose content is neither that from before the update nor, except layout, that written by
 * it. A missing file is to be restored
 */
export function changedSince(fs: FileSystem, project: string, { changes }: Pending): string[] {
  return changes
    .filter(
      ({ path, before, after }) =>
        [before, after, null].every((state) => !isState(fs, project, path, state)) &&
        !isReformatted(fs, project, path, after),
    )
    .map(({ path }) => path)
}

/** Whether the manifest or the base is neither that from before the update nor that of it: another update was pulled. */
export function isOutdated(fs: FileSystem, project: string, { previous, next }: Pending): boolean {
  const known: Record<string, readonly (string | undefined)[]> = {
    'manifest.json': [previous.manifestText, manifestText(next.manifest)],
    'base.json': [undefined, previous.baseText, baseText(next.base)],
  }
  return (['manifest.json', 'base.json'] as const).some((file) => {
    const record = readRecordText(fs, project, file)
    return !known[file]?.some((text) => isSameRecord(text, record))
  })
}

/** A formatter, or git on Windows, may have written the records anew. */
const isSameRecord = (one: string | undefined, other: string | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && isSameExceptLayout('record.json', one, other))

/**
 * Whether the update was undone by other means, such as `git checkout`: any of its migrations or most of its files are
 * as before. The owner may have restored a few files, or any file with conflicts, on purpose.
 */
export function isUndone(fs: FileSystem, project: string, { changes, conflicts }: Pending): boolean {
  const others = changes.filter(({ path }) => !conflicts.includes(path))
  const undone = others.filter(
    ({ path, before, after }) => isState(fs, project, path, before) && !isState(fs, project, path, after),
  )
  return undone.length > others.length / 2 || undone.some(({ path }) => isMigration(path))
}

/** Whether a finished update was undone with git, or is in a stash or on another branch: git does not have .env. */
export function isUndoneExceptEnv(fs: FileSystem, project: string, { changes, previous }: Pending): boolean {
  const env = changes.find(({ path }) => path === '.env')
  return (
    env !== undefined &&
    isState(fs, project, env.path, env.after) &&
    isSameRecord(readRecordText(fs, project, 'manifest.json'), previous.manifestText) &&
    isSameRecord(readRecordText(fs, project, 'base.json'), previous.baseText)
  )
}

/** @returns the migrations of the update that run at the next start: Drizzle Kit 0.31 has a journal that lists them */
export function migrationsInPlace(fs: FileSystem, project: string, { changes }: Pending): string[] {
  const migrations = changes.filter(({ path }) => isMigration(path))
  const journal = migrations.find(({ path }) => path.endsWith('/_journal.json'))
  if (!journal || !isState(fs, project, journal.path, journal.after)) return []
  return migrations.map(({ path }) => path).filter((path) => path.endsWith('.sql'))
}

/** @returns the paths where a directory prevents writing or removing a file */
export function blockedPaths(fs: FileSystem, project: string, { changes }: Pending): string[] {
  const isDirectory = (path: string) =>
    fs.lstatSync(join(project, path), { throwIfNoEntry: false })?.isDirectory() === true
  return changes.map(({ path }) => path).filter(isDirectory)
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

/** Whether a formatter ran over what the update wrote. */
function isReformatted(fs: FileSystem, project: string, path: string, after: FileState | null): boolean {
  const disk = readDisk(fs, project, path)
  return after !== null && disk.kind === 'text' && isSameExceptLayout(path, disk.text, after.bytes.toString())
}

function writePending(fs: FileSystem, project: string, pending: Pending): void {
  writeRecord(fs, project, 'pending.json', pendingText(pending), 0o600)
  flushFolder(fs, join(project, FOLDER))
}
