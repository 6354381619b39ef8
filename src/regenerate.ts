import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterUpdate } from './after-update.ts'
import type { Answers } from './answers.ts'
import { apply, begin, blocked, changedMeanwhile, complete, isUndone, takeBack } from './apply.ts'
import { readDisk } from './disk.ts'
import { interrupted, UserError } from './errors.ts'
import { shorten } from './escape.ts'
import { withLock } from './lock.ts'
import { type Project, parseManifest } from './manifest.ts'
import { MARKER } from './merge-text.ts'
import { readOwnText } from './own-files.ts'
import { type Pending, parsePending } from './pending.ts'
import type { Update } from './plan-update.ts'
import type { Step } from './step.ts'
import { reasonOf } from './system-error.ts'
import type { World } from './world.ts'

/** How an update, or a part of it, ended. */
export interface Outcome {
  readonly from: Answers
  readonly to: Answers
  /** Files with conflicts: the update waits for --continue or --abort. */
  readonly conflicts: readonly string[]
  /** Files that somebody changed while they were to be written; they are kept. */
  readonly changedMeanwhile: readonly string[]
  readonly steps: readonly Step[]
}

/** @throws UserError (refused) where the journal is damaged */
export function readPending(world: World, project: string): Pending | undefined {
  const text = readOwnText(world.fs, project, 'pending.json')
  return text === undefined ? undefined : parsePending(text)
}

/** The one line that every command says which cannot go on. */
export function pendingFault({ state, conflicts }: Pending): UserError {
  const text = {
    applying: 'an update was interrupted; finish it with --continue, or take it back with --abort',
    conflicts: `an update waits for ${list(conflicts)}; solve the conflicts, then --continue, or take it back with --abort`,
    aborting: 'an update is being taken back; finish that with --abort',
  }
  return new UserError('refused', text[state])
}

/**
 * Writes an update, all of it or, after an interruption, what `finish` makes of it.
 * @throws UserError: refused where another update came first; interrupted before anything is written
 */
export async function update(
  world: World,
  project: Project,
  { pending, from, to }: Update,
  install: boolean,
): Promise<Outcome> {
  // Lets a signal in that arrived meanwhile; from here on nothing can come between.
  await nextTurn()
  if (world.signal.aborted) throw interrupted()
  const kept = changing(world, project.path, () => {
    const other = readPending(world, project.path)
    if (other) throw pendingFault(other)
    refuseOutdated(world, project)
    begin(world.fs, project.path, pending)
    return apply(world.fs, project.path, pending)
  })
  return outcome(world, project, pending, { from, to }, kept, install)
}

/**
 * Finishes an update: one that was interrupted, or one whose conflicts are solved.
 * @throws UserError: refused where there is none; conflicts where markers are left
 */
export async function finish(world: World, project: Project, install: boolean): Promise<Outcome> {
  const { pending, kept } = changing(world, project.path, () => {
    const pending = pendingOrRefuse(world, project)
    if (pending.state === 'aborting') throw pendingFault(pending)
    if (pending.state === 'applying') return { pending, kept: apply(world.fs, project.path, pending) }
    if (isUndone(world.fs, project.path, pending)) {
      throw new UserError(
        'refused',
        'the files are as they were before the update: it was taken back; end it with --abort',
      )
    }
    const left = pending.conflicts.filter((path) => hasMarkers(world, project.path, path))
    if (left.length > 0)
      throw new UserError(
        'conflicts',
        `markers are left in ${list(left)}; solve the conflicts, then --continue`,
      )
    complete(world.fs, project.path, pending)
    return { pending: { ...pending, conflicts: [] }, kept: [] }
  })
  return outcome(world, project, pending, answersOf(pending), kept, install)
}

/**
 * Takes an update back: every byte of the project is as it was.
 * @param force also loses what somebody wrote into the files since, other than into those with conflicts
 * @throws UserError (refused) where there is none, or without `force` something would be lost
 */
export function abort(world: World, project: Project, force: boolean): Outcome {
  const pending = changing(world, project.path, () => {
    const pending = pendingOrRefuse(world, project)
    const folders = blocked(world.fs, project.path, pending)
    if (folders.length > 0)
      throw new UserError('refused', `${list(folders)} is not a file; move it away, then --abort`)
    const edited = changedMeanwhile(world.fs, project.path, pending).filter(
      (path) => !pending.conflicts.includes(path),
    )
    if (edited.length > 0 && !force && pending.state !== 'aborting') {
      throw new UserError(
        'refused',
        `${list(edited)} changed since the update, which --abort would lose; save that, then --abort --yes`,
      )
    }
    takeBack(world.fs, project.path, pending)
    return pending
  })
  return { ...answersOf(pending), conflicts: [], changedMeanwhile: [], steps: [] }
}

/**
 * Works under the lock.
 * @throws UserError, also where the system refuses to write: what the project is then, and how to go on
 */
function changing<T>(world: World, project: string, work: () => T): T {
  try {
    return withLock(world, project, work)
  } catch (error) {
    const reason = error instanceof UserError ? undefined : reasonOf(error)
    if (reason === undefined) throw error
    const pending = readPending(world, project)
    const state = pending ? pendingFault(pending).message : 'nothing was written'
    throw new UserError('failed', `cannot write ${shorten(project, 200)}: ${reason}; ${state}`)
  }
}

/** The plan was made before the lock was taken: another update may have come in between, and would be written over. */
function refuseOutdated({ fs }: World, { path, manifestText, baseText }: Project): void {
  if (
    readOwnText(fs, path, 'manifest.json') === manifestText &&
    readOwnText(fs, path, 'base.json') === baseText
  )
    return
  throw new UserError('refused', 'another update came first; run it again')
}

function pendingOrRefuse(world: World, project: Project): Pending {
  const pending = readPending(world, project.path)
  if (!pending)
    throw new UserError('refused', 'no update is under way: there is nothing to finish or to take back')
  return pending
}

function answersOf(pending: Pending): { from: Answers; to: Answers } {
  return {
    from: parseManifest(pending.previousManifest).answers,
    to: parseManifest(pending.nextManifest).answers,
  }
}

async function outcome(
  world: World,
  project: Project,
  pending: Pending,
  { from, to }: { from: Answers; to: Answers },
  kept: readonly string[],
  install: boolean,
): Promise<Outcome> {
  const { conflicts } = pending
  const steps =
    conflicts.length > 0 ? [] : await afterUpdate(world, project.path, pending, { from, to }, install)
  return { from, to, conflicts, changedMeanwhile: kept, steps }
}

function hasMarkers(world: World, project: string, path: string): boolean {
  const file = readDisk(world.fs, project, path)
  if (file.kind !== 'text') return false
  // In Markdown a line of equals signs is a heading's.
  return MARKER.test(file.text) || (!path.endsWith('.md') && /^={7}$/m.test(file.text))
}

function list(paths: readonly string[]): string {
  return shorten(paths.join(', '), 200)
}
