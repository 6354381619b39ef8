import { join } from 'node:path'
import { FOLDER, readRecordText } from '../../project/records.ts'
import { UserError } from '../../system/errors.ts'
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

/**
 * Reads the journal for `--abort`: of the update in progress, or else of the last one.
 * @param commit the owner's last commit
 * @param isRecorded whether that commit or an earlier one has the last update
 * @throws UserError (refused) if there is none, if it is damaged, or if there was a commit since
 */
export function readUndoOrRefuse(
  fs: FileSystem,
  project: string,
  commit: string | undefined,
  isRecorded: boolean,
): Pending {
  const pending = readPending(fs, project)
  if (pending) return pending
  const text = readRecordText(fs, project, 'undo.tmp')
  if (text === undefined) throw noUpdate()
  const last = parsePending(text, 'undo.tmp')
  if (last.commit === commit) return last
  // Reverting another commit could delete the project.
  const command = isRecorded
    ? 'The first one that `git log -- .authsmith` lists has it: undo that with `git revert`'
    : 'None has it: put it aside with `git stash --include-untracked`'
  throw new UserError(
    'refused',
    `There are commits since the last update. ${command}, then compare .env with .env.example.`,
  )
}

/**
 * Reads the journal for `--continue`.
 * @throws UserError (refused) if no update is in progress, or if the journal is damaged
 */
export function readPendingOrRefuse(fs: FileSystem, project: string): Pending {
  const pending = readPending(fs, project)
  if (!pending) throw noUpdate()
  return pending
}

/** Whether there is a journal, valid or not. */
export const hasPending = (fs: FileSystem, project: string): boolean =>
  fs.lstatSync(join(project, FOLDER, 'pending.json'), { throwIfNoEntry: false })?.isFile() === true

/** The error of `--continue`, `--abort` and `--forget` without an update. */
export const noUpdate = (): UserError =>
  new UserError('refused', 'No update is in progress, so there is nothing to continue, abort or forget.')

/** The error of every command that cannot run while an update is in progress. */
export function pendingFault({ state, conflicts }: Pending): UserError {
  const text = {
    applying:
      'An update was interrupted. Finish it with `regenerate --continue`, or undo it with `regenerate --abort`.',
    conflicts: `An update has conflicts in ${listed(conflicts)}. Resolve them, then run \`regenerate --continue\`, or undo the update with \`regenerate --abort\`.`,
    aborting: 'An `--abort` was interrupted. Finish it with `regenerate --abort`.',
  }
  return new UserError('refused', text[state])
}

/** Paths for a message. */
export function listed(paths: readonly string[]): string {
  return shorten(paths.join(', '), 200)
}
