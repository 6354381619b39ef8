import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Answers } from '../answers/answers.ts'
import type { Project } from '../project/manifest.ts'
import { readRecordText } from '../project/records.ts'
import { interrupted, UserError } from '../system/errors.ts'
import { shorten } from '../system/printing.ts'
import type { System } from '../system/system.ts'
import { reasonOf } from '../system/system-error.ts'
import type { ToolRun } from '../tools/tool-run.ts'
import { apply, begin, blockedPaths, changedSince, end, forget, isOutdated, undo } from './apply.ts'
import type { Pending } from './journal.ts'
import { withLock } from './lock.ts'
import { hasPending, listed, noUpdate, pendingFault, readPending, readPendingOrRefuse } from './pending.ts'
import type { Update } from './plan.ts'
import { runTools } from './run-tools.ts'
import { refuseMigrated, refuseUnresolved } from './unresolved.ts'

/** The result of an update, of `--continue`, `--abort` or `--forget`. */
export interface Outcome {
  readonly from: Answers
  readonly to: Answers
  /** Files with conflicts, which need --continue or --abort. */
  readonly conflicts: readonly string[]
  /** Files that the owner changed after the update was planned, or before it was undone; they are kept. */
  readonly changedMeanwhile: readonly string[]
  readonly steps: readonly ToolRun[]
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
    const other = readPending(system.fs, project.path)
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
    const pending = readPendingOrRefuse(system.fs, project.path)
    if (pending.state === 'aborting') throw pendingFault(pending)
    refusePulled(system, project, pending)
    if (pending.state === 'applying') return { pending, kept: apply(system.fs, project.path, pending) }
    refuseUnresolved(system.fs, project.path, pending)
    end(system.fs, project.path, pending)
    return { pending: { ...pending, conflicts: [] }, kept: [] }
  })
  return outcome(system, project, pending, kept, install)
}

/**
 * Undoes an update: restores every byte of the project, except in files that the owner changed since.
 * @param force also if there are such files
 * @throws UserError (refused) if there is no update, or if files changed since, without `force`
 */
export function abort(system: System, project: Project, force: boolean): Outcome {
  const { pending, kept } = changing(system, project.path, () => {
    const pending = readPendingOrRefuse(system.fs, project.path)
    refusePulled(system, project, pending)
    const folders = blockedPaths(system.fs, project.path, pending)
    if (folders.length > 0)
      throw new UserError(
        'refused',
        `${listed(folders)} is not a file. Move it away, then run \`regenerate --abort\`.`,
      )
    const edited = changedSince(system.fs, project.path, pending)
    if (edited.length > 0 && !force && pending.state !== 'aborting') {
      throw new UserError(
        'refused',
        `${listed(edited)} changed since the update. To keep that and undo the rest, run \`regenerate --abort --yes\`. ` +
          'To get the old text back, delete the file first. To end the update without changing a file, run `regenerate --forget`.',
      )
    }
    return { pending, kept: undo(system.fs, project.path, pending) }
  })
  return { ...answersOf(pending), conflicts: [], changedMeanwhile: kept, steps: [] }
}

/**
 * Ends an update without changing a file, also if its journal is damaged.
 * @param force also if a migration of the update would stay
 * @throws UserError (refused) if there is no update, or if a migration would stay, without `force`
 */
export function dropUpdate(system: System, project: Project, force: boolean): Outcome {
  changing(system, project.path, () => {
    if (!hasPending(system.fs, project.path)) throw noUpdate()
    if (!force) refuseMigrated(system.fs, project)
    forget(system.fs, project.path)
  })
  const { answers } = project.manifest
  return { from: answers, to: answers, conflicts: [], changedMeanwhile: [], steps: [] }
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
    const pending = readPending(system.fs, project)
    const state = pending ? pendingFault(pending).message : 'Nothing was written.'
    throw new UserError('failed', `Cannot write ${shorten(project, 200)}: ${reason}. ${state}`)
  }
}

/** The plan was made before the lock was taken. An update that ran in between would be overwritten. */
function refuseOutdated({ fs }: System, { path, manifestText, baseText }: Project): void {
  if (
    readRecordText(fs, path, 'manifest.json') === manifestText &&
    readRecordText(fs, path, 'base.json') === baseText
  )
    return
  throw new UserError('refused', 'Another update ran first. Run the command again.')
}

/** The journal is not in git, so it stays when another update is pulled, whose records it would overwrite. */
function refusePulled({ fs }: System, { path }: Project, pending: Pending): void {
  if (!isOutdated(fs, path, pending)) return
  throw new UserError(
    'refused',
    '.authsmith/ changed since the update: another one was pulled or committed. To end the old one without changing a file, run `regenerate --forget`.',
  )
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
  const steps = conflicts.length > 0 ? [] : await runTools(system, project.path, pending, install)
  return { ...answersOf(pending), conflicts, changedMeanwhile: kept, steps }
}
