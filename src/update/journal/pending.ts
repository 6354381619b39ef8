import { join } from 'node:path'
import { hasMarkers } from '../../merge/merge-text.ts'
import { readDisk } from '../../project/disk.ts'
import { FOLDER, readRecordText } from '../../project/records.ts'
import { refused, UserError } from '../../system/errors.ts'
import type { FileSystem } from '../../system/file-system.ts'
import { shorten } from '../../system/printing.ts'
import { type Pending, parsePending } from './journal.ts'

/**
 * Reads the journal.
 * @returns undefined if no update is in progress
 * @throws UserError (refused) if the journal is damaged
 */
export function readPending(fs: FileSystem, project: string): Pending | undefined {
  const text = readRecordText(fs, project, 'pending.json')
  return text === undefined ? undefined : parsePending(text)
}

/** Reads the journal of the last update, which is finished. @throws UserError (refused) if the journal is damaged */
export function readUndo(fs: FileSystem, project: string): Pending | undefined {
  const text = readRecordText(fs, project, 'undo.tmp')
  return text === undefined ? undefined : parsePending(text, 'undo.tmp')
}

/** Whether there is a journal, valid or not. */
export const hasPending = (fs: FileSystem, project: string): boolean =>
  fs.lstatSync(join(project, FOLDER, 'pending.json'), { throwIfNoEntry: false })?.isFile() === true

/** The error of `--continue`, `--abort` and `--forget` without an update that they could end. */
export const noUpdate = (fs: FileSystem, project: string): UserError =>
  refused(
    readUndo(fs, project)
      ? 'No update is in progress: the last one is finished. Until your next commit, `regenerate --abort` undoes it.'
      : 'No update is in progress, so there is nothing to continue, abort or forget.',
  )

/** The error of every command that cannot run while an update is in progress. */
export function pendingFault({ state, conflicts }: Pending): UserError {
  const text = {
    applying:
      'An update was interrupted. Finish it with `regenerate --continue`, or undo it with `regenerate --abort`.',
    conflicts: `An update has conflicts in ${listed(conflicts)}. Resolve them, then run \`regenerate --continue\`, or undo the update with \`regenerate --abort\`.`,
    aborting: 'An `--abort` was interrupted. Finish it with `regenerate --abort`.',
  }
  return refused(text[state])
}

/** @throws UserError (conflicts) if files of the update have conflict markers */
export function refuseMarkers(fs: FileSystem, project: string, { conflicts }: Pending): void {
  const left = conflicts.filter((path) => {
    const file = readDisk(fs, project, path)
    return file.kind === 'text' && hasMarkers(path, file.text)
  })
  if (left.length === 0) return
  throw new UserError(
    'conflicts',
    `Conflict markers are left in ${listed(left)}. Resolve the conflicts, then run \`regenerate --continue\`.`,
  )
}

/** @throws UserError (refused) if an update is in progress */
export function refusePending(fs: FileSystem, project: string): void {
  const pending = readPending(fs, project)
  if (pending) throw pendingFault(pending)
}

/** Paths for a message. */
export function listed(paths: readonly string[]): string {
  return shorten(paths.join(', '), 200)
}
