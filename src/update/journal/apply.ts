import { join } from 'node:path'
import { isSameExceptLayout } from '../../merge/layout.ts'
import { baseText } from '../../project/base.ts'
import { plainText, readDisk, refuseLinkOnTheWay } from '../../project/disk.ts'
import { manifestText, type Project } from '../../project/manifest.ts'
import { FOLDER, type RecordFile, readRecordText } from '../../project/records.ts'
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
 * Writes the changes that are not written yet, then the new manifest and base, which git takes back or commits together
 * with the files. If there are conflicts, the update stays in progress until they are resolved.
 * @returns the paths that changed in the meantime and were kept
 */
export function apply(fs: FileSystem, project: string, pending: Pending): string[] {
  const kept = pending.changes.filter((change) => !applyChange(fs, project, change)).map(({ path }) => path)
  writeRecord(fs, project, 'base.json', baseText(pending.next.base))
  writeRecord(fs, project, 'manifest.json', manifestText(pending.next.manifest))
  if (pending.conflicts.length > 0) writePending(fs, project, { ...pending, state: 'conflicts' })
  else end(fs, project)
  return kept
}

/** Ends an update. Keeps its journal as undo.tmp, with which it can be undone: git does not have .env. */
export const end = (fs: FileSystem, project: string): void =>
  fs.renameSync(join(project, FOLDER, 'pending.json'), join(project, FOLDER, 'undo.tmp'))

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

/** Whether the records are these, except layout: a formatter, or git on Windows, may have written them anew. */
export function hasRecords(
  fs: FileSystem,
  project: string,
  { manifestText, baseText }: Pick<Project, 'manifestText' | 'baseText'>,
): boolean {
  const isSame = (file: RecordFile, text = '') =>
    isSameExceptLayout(file, readRecordText(fs, project, file) ?? '', text)
  return isSame('manifest.json', manifestText) && isSame('base.json', baseText)
}

/** Whether a finished update was undone with git, or is in a stash or on another branch: git does not have .env. */
export function isUndoneExceptEnv(fs: FileSystem, project: string, { changes, previous }: Pending): boolean {
  const env = changes.find(({ path }) => path === '.env')
  return env !== undefined && isState(fs, project, env.path, env.after) && hasRecords(fs, project, previous)
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
  if (!stats.isFile()) return false
  const bytes = fs.readFileSync(file)
  return bytes.equals(state.bytes) || (!bytes.includes(0) && isSameText(bytes, state.bytes))
}

/** Git may write other line ends, in a stash for instance. Latin 1, so that other bytes are compared as they are. */
const isSameText = (one: Buffer, other: Buffer): boolean =>
  plainText(one.toString('latin1')) === plainText(other.toString('latin1'))

/** Whether a formatter ran over what the update wrote. */
function isReformatted(fs: FileSystem, project: string, path: string, after: FileState | null): boolean {
  const disk = readDisk(fs, project, path)
  return (
    after !== null &&
    disk.kind === 'text' &&
    isSameExceptLayout(path, disk.text, plainText(after.bytes.toString()))
  )
}

function writePending(fs: FileSystem, project: string, pending: Pending): void {
  writeRecord(fs, project, 'pending.json', pendingText(pending), 0o600)
  flushFolder(fs, join(project, FOLDER))
}
