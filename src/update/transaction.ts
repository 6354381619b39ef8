import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Answers } from '../answers/answers.ts'
import { isSameExceptLayout } from '../merge/layout.ts'
import { baseText, parseBase } from '../project/base.ts'
import { plainText } from '../project/disk.ts'
import { manifestText, type Project } from '../project/manifest.ts'
import { readRecordText } from '../project/records.ts'
import { failed, interrupted, refused, UserError } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { shorten } from '../system/printing.ts'
import type { System } from '../system/system.ts'
import { fileOf, reasonOf } from '../system/system-error.ts'
import { lastCommit } from '../tools/git.ts'
import type { ToolRun } from '../tools/tool-run.ts'
import { apply, begin, end, forget, hasRecords } from './journal/apply.ts'
import { refuseCommitted } from './journal/commits.ts'
import type { Pending } from './journal/journal.ts'
import { withLock } from './journal/lock.ts'
import {
  hasPending,
  noUpdate,
  pendingFault,
  readPending,
  refuseMarkers,
  refusePending,
} from './journal/pending.ts'
import type { Update } from './plan/plan.ts'
import { runTools } from './plan/run-tools.ts'

/** The result of an update, of `--continue`, `--abort` or `--forget`. */
export interface Outcome {
  readonly from: Answers
  readonly to: Answers
  /** Files with conflicts, which need --continue or --abort. */
  readonly conflicts: readonly string[]
  /** Files that the owner changed after the update was planned, or before it was undone; they are kept. */
  readonly changedMeanwhile: readonly string[]
  readonly steps: readonly ToolRun[]
  /** Whether the project has a layout of its own, which the generated lines do not have yet. */
  readonly needsFormat?: boolean
  /** What the undoing of an update leaves to do: whether to install, and the migrations that were removed. */
  readonly undone?: {
    readonly needsInstall: boolean
    readonly migrations: readonly string[]
  }
}

/**
 * Writes an update. After an interruption, `finish` or `abort` completes it.
 * @throws UserError: refused if another update ran first; interrupted before anything is written
 */
export async function update(
  system: System,
  project: Project,
  { pending }: Pick<Update, 'pending'>,
  install: boolean,
): Promise<Outcome> {
  const commit = await lastCommit(system, project.path)
  // Lets a signal that arrived in the meantime be handled. The rest is synchronous and cannot be interrupted.
  await nextTurn()
  if (system.signal.aborted) throw interrupted()
  const kept = changing(system, project.path, () => {
    refusePending(system.fs, project.path)
    refuseOutdated(system, project)
    begin(system.fs, project.path, { ...pending, commit })
    return apply(system.fs, project.path, { ...pending, commit })
  })
  return outcome(system, project, pending, kept, install)
}

/**
 * Finishes an update that was interrupted, or whose conflicts are resolved.
 * @throws UserError: refused if there is none; conflicts if markers are left
 */
export async function finish(system: System, project: Project, install: boolean): Promise<Outcome> {
  const { fs } = system
  const { path } = project
  await refuseCommitted(system, path, readPending(fs, path))
  const { pending, kept } = changing(system, path, () => {
    const pending = readPending(fs, path)
    if (!pending) throw noUpdate(fs, path)
    if (pending.state === 'aborting') throw pendingFault(pending)
    if (pending.state === 'applying') return { pending, kept: apply(fs, path, pending) }
    refuseUndone(fs, path, pending)
    refuseMarkers(fs, path, pending)
    end(fs, path)
    return { pending: { ...pending, conflicts: [] }, kept: [] }
  })
  return outcome(system, project, pending, kept, install)
}

/**
 * Ends an update without changing a file.
 * @param force also if it was interrupted, or if its journal is damaged
 * @throws UserError (refused) if there is no update; without `force`, also if `--continue` or `--abort` should end it
 */
export function dropUpdate(system: System, project: Project, force: boolean): Outcome {
  const { fs } = system
  changing(system, project.path, () => {
    if (!hasPending(fs, project.path)) throw noUpdate(fs, project.path)
    if (!force) refuseInterrupted(readPending(fs, project.path))
    forget(fs, project.path)
  })
  const { answers } = project.manifest
  return { from: answers, to: answers, conflicts: [], changedMeanwhile: [], steps: [] }
}

/** Of an interrupted update, a migration may be there that runs at the next start, although the manifest does not know it. */
function refuseInterrupted(pending: Pending | undefined): void {
  if (!pending || pending.state === 'conflicts') return
  throw refused(
    `${pendingFault(pending).message} To leave the files as they are now, run \`regenerate --forget --yes\`.`,
  )
}

/**
 * Runs `work` under the lock.
 * @throws UserError also if a file cannot be written: says what state the project is in, and how to continue
 */
export function changing<T>(system: System, project: string, work: () => T): T {
  try {
    return withLock(system, project, work)
  } catch (error) {
    const reason = error instanceof UserError ? undefined : reasonOf(error)
    if (reason === undefined) throw error
    const pending = readPending(system.fs, project)
    const state = pending ? pendingFault(pending).message : 'Nothing was written.'
    throw failed(`Cannot write ${shorten(fileOf(error, project), 200)}: ${reason}. ${state}`)
  }
}

/** The plan was made before the lock was taken. An update that ran in between would be overwritten. */
function refuseOutdated({ fs }: System, { path, manifestText, baseText }: Project): void {
  const texts = [readRecordText(fs, path, 'manifest.json'), readRecordText(fs, path, 'base.json')]
  if (texts[0] === manifestText && texts[1] === baseText) return
  throw refused('Another update ran first. Run the command again.')
}

/** With `git reset --hard`, also the records are as before: they would say that the update is there. */
function refuseUndone(fs: FileSystem, project: string, { next }: Pending): void {
  const texts = { manifestText: manifestText(next.manifest), baseText: baseText(next.base) }
  if (hasRecords(fs, project, texts)) return
  throw refused(
    'The update was undone with git: .authsmith/ is not as it wrote it. To restore the rest, run `regenerate --abort`. To end the update without changing a file, run `regenerate --forget`.',
  )
}

export const answersOf = ({ previous, next }: Pending): { from: Answers; to: Answers } => ({
  from: previous.manifest.answers,
  to: next.manifest.answers,
})

async function outcome(
  system: System,
  project: Project,
  pending: Pending,
  kept: readonly string[],
  install: boolean,
): Promise<Outcome> {
  const { conflicts } = pending
  const steps = conflicts.length === 0 ? await runTools(system, project.path, pending, install) : []
  return {
    ...answersOf(pending),
    conflicts,
    changedMeanwhile: kept,
    steps,
    needsFormat: isReformatted(pending),
  }
}

/** Whether the update changed a file that differed from its generated text in nothing but layout. */
function isReformatted({ changes, previous }: Pending): boolean {
  const base = previous.baseText === undefined ? undefined : parseBase(previous.baseText).files
  return changes.some(({ path, before }) => {
    const [generated, text] = [base?.get(path), before ? plainText(before.bytes.toString()) : undefined]
    if (generated === undefined || text === undefined || text === generated) return false
    return isSameExceptLayout(path, text, generated)
  })
}
