import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Answers } from '../../answers/answers.ts'
import { isSameExceptLayout } from '../../merge/layout.ts'
import { parseBase } from '../../project/base.ts'
import type { Project } from '../../project/manifest.ts'
import { readRecordText } from '../../project/records.ts'
import { interrupted, UserError } from '../../system/errors.ts'
import { shorten } from '../../system/printing.ts'
import type { System } from '../../system/system.ts'
import { reasonOf } from '../../system/system-error.ts'
import { lastCommit } from '../../tools/git.ts'
import type { ToolRun } from '../../tools/tool-run.ts'
import type { Update } from '../plan/plan.ts'
import { runTools } from '../plan/run-tools.ts'
import { amendUndo, migrationFiles, wasMigrated } from './amend-undo.ts'
import { apply, begin, end, forget, isOutdated } from './apply.ts'
import { type Pending, pendingText } from './journal.ts'
import { withLock } from './lock.ts'
import { hasPending, noUpdate, pendingFault, readPending, readPendingOrRefuse } from './pending.ts'
import { refuseMigrated, refuseUnresolved, withResolutions } from './unresolved.ts'
import { writeRecord } from './write-files.ts'

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
    const other = readPending(system.fs, project.path)
    if (other) throw pendingFault(other)
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
  const { pending, kept } = changing(system, project.path, () => {
    const pending = readPendingOrRefuse(system.fs, project.path)
    if (pending.state === 'aborting') throw pendingFault(pending)
    refusePulled(system, project, pending)
    if (pending.state === 'applying') return { pending, kept: apply(system.fs, project.path, pending) }
    refuseUnresolved(system.fs, project.path, pending)
    const resolved = withResolutions(system.fs, project.path, pending)
    writeRecord(system.fs, project.path, 'pending.json', pendingText(resolved), 0o600)
    end(system.fs, project.path, resolved)
    return { pending: { ...pending, conflicts: [] }, kept: [] }
  })
  return outcome(system, project, pending, kept, install)
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
export function changing<T>(system: System, project: string, work: () => T): T {
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
export function refusePulled({ fs }: System, { path }: Project, pending: Pending): void {
  if (!isOutdated(fs, path, pending)) return
  if (!hasPending(fs, path)) throw noUpdate()
  throw new UserError(
    'refused',
    '.authsmith/ changed since the update: another one was pulled or committed. To end the old one without changing a file, run `regenerate --forget`.',
  )
}

export function answersOf(pending: Pending): { from: Answers; to: Answers } {
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
  const migrations = migrationFiles(system.fs, project.path)
  let steps: ToolRun[] = []
  try {
    if (conflicts.length === 0) steps = await runTools(system, project.path, pending, install)
  } finally {
    // Also after Ctrl-C: Drizzle Kit may have written some of its files.
    if (wasMigrated(system.fs, project.path, migrations))
      changing(system, project.path, () => amendUndo(system.fs, project.path, migrations))
  }
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
    const [generated, text] = [base?.get(path), before?.bytes.toString().replaceAll('\r\n', '\n')]
    if (generated === undefined || text === undefined || text === generated) return false
    return isSameExceptLayout(path, text, generated)
  })
}
