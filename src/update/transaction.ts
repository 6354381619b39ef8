import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Answers } from '../answers/answers.ts'
import { readDisk } from '../project/disk.ts'
import type { Project } from '../project/manifest.ts'
import { readRecordText } from '../project/records.ts'
import { interrupted, UserError } from '../system/errors.ts'
import { shorten } from '../system/printing.ts'
import type { System } from '../system/system.ts'
import { reasonOf } from '../system/system-error.ts'
import type { ToolRun } from '../tools/tool-run.ts'
import { apply, begin, blocked, changedMeanwhile, complete, isUndone, takeBack } from './apply.ts'
import { finishUpdate } from './finish-update.ts'
import { type Pending, parsePending } from './journal.ts'
import { withLock } from './lock.ts'
import { MARKER } from './merge-text.ts'
import type { Update } from './plan.ts'

/** The result of an update, of `--continue` or of `--abort`. */
export interface Outcome {
  readonly from: Answers
  readonly to: Answers
  /** Files with conflicts, which need --continue or --abort. */
  readonly conflicts: readonly string[]
  /** Files that changed while the update was being written; they are kept. */
  readonly changedMeanwhile: readonly string[]
  readonly steps: readonly ToolRun[]
}

/**
 * Reads the journal.
 * @returns undefined if no update is in progress
 * @throws UserError (refused) if the journal is damaged
 */
export function readPending(system: System, project: string): Pending | undefined {
  const text = readRecordText(system.fs, project, 'pending.json')
  return text === undefined ? undefined : parsePending(text)
}

/** The error of every command that cannot run while an update is in progress. */
export function pendingFault({ state, conflicts }: Pending): UserError {
  const text = {
    applying: 'an update was interrupted; finish it with --continue, or undo it with --abort',
    conflicts: `an update has conflicts in ${list(conflicts)}; resolve them, then run --continue, or undo the update with --abort`,
    aborting: 'an --abort was interrupted; finish it with --abort',
  }
  return new UserError('refused', text[state])
}

/**
 * Writes an update. After an interruption, `finish` or `abort` completes it.
 * @throws UserError: refused if another update ran first; interrupted before anything is written
 */
export async function update(
  system: System,
  project: Project,
  { pending }: Update,
  install: boolean,
): Promise<Outcome> {
  // Lets a signal that arrived in the meantime be handled. The rest is synchronous and cannot be interrupted.
  await nextTurn()
  if (system.signal.aborted) throw interrupted()
  const kept = changing(system, project.path, () => {
    const other = readPending(system, project.path)
    if (other) throw pendingFault(other)
    refuseOutdated(system, project)
    begin(system.fs, project.path, pending)
    return apply(system.fs, project.path, pending)
  })
  return outcome(system, project, pending, kept, install)
}

/**
 * Finishes an update that was interrupted, or whose conflicts are resolved.
 * @throws UserError: refused if there is none; conflicts if markers are left
 */
export async function finish(system: System, project: Project, install: boolean): Promise<Outcome> {
  const { pending, kept } = changing(system, project.path, () => {
    const pending = pendingOrRefuse(system, project)
    if (pending.state === 'aborting') throw pendingFault(pending)
    if (pending.state === 'applying') return { pending, kept: apply(system.fs, project.path, pending) }
    if (isUndone(system.fs, project.path, pending)) {
      throw new UserError(
        'refused',
        'the update seems to have been undone by other means: its files or migrations are as before; complete that with --abort',
      )
    }
    const left = pending.conflicts.filter((path) => hasMarkers(system, project.path, path))
    if (left.length > 0)
      throw new UserError(
        'conflicts',
        `conflict markers are left in ${list(left)}; resolve the conflicts, then run --continue`,
      )
    complete(system.fs, project.path, pending)
    return { pending: { ...pending, conflicts: [] }, kept: [] }
  })
  return outcome(system, project, pending, kept, install)
}

/**
 * Undoes an update: restores every byte of the project.
 * @param force also discards later edits to files without conflicts
 * @throws UserError (refused) if there is no update, or if edits would be lost without `force`
 */
export function abort(system: System, project: Project, force: boolean): Outcome {
  const pending = changing(system, project.path, () => {
    const pending = pendingOrRefuse(system, project)
    const folders = blocked(system.fs, project.path, pending)
    if (folders.length > 0)
      throw new UserError('refused', `${list(folders)} is not a file; move it away, then run --abort`)
    const edited = changedMeanwhile(system.fs, project.path, pending).filter(
      (path) => !pending.conflicts.includes(path),
    )
    if (edited.length > 0 && !force && pending.state !== 'aborting') {
      throw new UserError(
        'refused',
        `${list(edited)} changed since the update, and --abort would discard that; save your edits, then run --abort --yes`,
      )
    }
    takeBack(system.fs, project.path, pending)
    return pending
  })
  return { ...answersOf(pending), conflicts: [], changedMeanwhile: [], steps: [] }
}

/**
 * Runs `work` under the lock.
 * @throws UserError also if a file cannot be written: says what state the project is in, and how to continue
 */
function changing<T>(system: System, project: string, work: () => T): T {
  try {
    return withLock(system, project, work)
  } catch (error) {
    const reason = error instanceof UserError ? undefined : reasonOf(error)
    if (reason === undefined) throw error
    const pending = readPending(system, project)
    const state = pending ? pendingFault(pending).message : 'nothing was written'
    throw new UserError('failed', `cannot write ${shorten(project, 200)}: ${reason}; ${state}`)
  }
}

/** The plan was made before the lock was taken. An update that ran in between would be overwritten. */
function refuseOutdated({ fs }: System, { path, manifestText, baseText }: Project): void {
  if (
    readRecordText(fs, path, 'manifest.json') === manifestText &&
    readRecordText(fs, path, 'base.json') === baseText
  )
    return
  throw new UserError('refused', 'another update ran first; run the command again')
}

function pendingOrRefuse(system: System, project: Project): Pending {
  const pending = readPending(system, project.path)
  if (!pending)
    throw new UserError('refused', 'no update is in progress: there is nothing to continue or abort')
  return pending
}

function answersOf(pending: Pending): { from: Answers; to: Answers } {
  return {
    from: pending.previous.manifest.answers,
    to: pending.next.manifest.answers,
  }
}

async function outcome(
  system: System,
  project: Project,
  pending: Pending,
  kept: readonly string[],
  install: boolean,
): Promise<Outcome> {
  const { conflicts } = pending
  const steps = conflicts.length > 0 ? [] : await finishUpdate(system, project.path, pending, install)
  return { ...answersOf(pending), conflicts, changedMeanwhile: kept, steps }
}

function hasMarkers(system: System, project: string, path: string): boolean {
  const file = readDisk(system.fs, project, path)
  if (file.kind !== 'text') return false
  // In Markdown, a line of equals signs underlines a heading.
  return MARKER.test(file.text) || (!path.endsWith('.md') && /^={7}$/m.test(file.text))
}

function list(paths: readonly string[]): string {
  return shorten(paths.join(', '), 200)
}
