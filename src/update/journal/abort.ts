import type { Project } from '../../project/manifest.ts'
import { isMigration } from '../../project/path-rules.ts'
import { FOLDER } from '../../project/records.ts'
import { UserError } from '../../system/errors.ts'
import type { System } from '../../system/system.ts'
import { isCommitted, lastCommit } from '../../tools/git.ts'
import { blockedPaths, changedSince, isUndoneExceptEnv, undo } from './apply.ts'
import type { Pending } from './journal.ts'
import { hasPending, listed, readUndoOrRefuse } from './pending.ts'
import { answersOf, changing, type Outcome, refusePulled } from './transaction.ts'

/**
 * Undoes an update, also a finished one until the owner's next commit: restores every byte of the project, except in
 * files that the owner changed since.
 * @param force also if there are such files, or if only .env is left to restore
 * @throws UserError (refused) if there is no update, or if it was committed; without `force`, also if files changed since
 */
export async function abort(system: System, project: Project, force: boolean): Promise<Outcome> {
  const commit = await lastCommit(system, project.path)
  const isRecorded = await isCommitted(system, project.path, `${FOLDER}/manifest.json`)
  const { pending, kept, isFinished } = changing(system, project.path, () => {
    const isFinished = !hasPending(system.fs, project.path)
    const pending = readUndoOrRefuse(system.fs, project.path, commit, isRecorded)
    if (isFinished && !force) refuseUndoneExceptEnv(system, project, pending)
    refusePulled(system, project, pending)
    refuseBlocked(system, project, pending)
    if (pending.state !== 'aborting') refuseChanged(system, project, pending, isFinished, force)
    return { pending, isFinished, kept: undo(system.fs, project.path, pending) }
  })
  const paths = pending.changes.map(({ path }) => path)
  const migrations = paths.filter((path) => isMigration(path) && path.endsWith('.sql'))
  return {
    ...answersOf(pending),
    conflicts: [],
    changedMeanwhile: kept,
    steps: [],
    undone: {
      needsInstall: isFinished && paths.includes('package.json'),
      // Also of an update with conflicts: the service may have started in the meantime.
      migrations,
    },
  }
}

/** Neither a commit nor a stash has the secrets that the update added to .env. */
function refuseUndoneExceptEnv({ fs }: System, { path }: Project, pending: Pending): void {
  if (!isUndoneExceptEnv(fs, path, pending)) return
  throw new UserError(
    'refused',
    'Only .env is as the update wrote it: git has the other files as before. If you still need the update, for instance from a stash, keep .env. Otherwise restore it with `regenerate --abort --yes`.',
  )
}

function refuseBlocked({ fs }: System, { path }: Project, pending: Pending): void {
  const folders = blockedPaths(fs, path, pending)
  if (folders.length === 0) return
  throw new UserError(
    'refused',
    `${listed(folders)} is not a file. Move it away, then run \`regenerate --abort\`.`,
  )
}

/** @param force allows it, unless a migration was added after those of the update: without these, it could not run */
function refuseChanged(
  { fs }: System,
  { path }: Project,
  pending: Pending,
  isFinished: boolean,
  force: boolean,
): void {
  const edited = changedSince(fs, path, pending)
  const journal = edited.find((file) => isMigration(file) && file.endsWith('/_journal.json'))
  if (journal !== undefined)
    throw new UserError(
      'refused',
      `${journal} changed since the update. Take your own migration back first: \`npx drizzle-kit drop\`.`,
    )
  if (edited.length === 0 || force) return
  throw new UserError(
    'refused',
    `${listed(edited)} changed since the update. To keep that and undo the rest, run \`regenerate --abort --yes\`. ` +
      'To get the old text back, delete the file first.' +
      (isFinished ? '' : ' To end the update without changing a file, run `regenerate --forget`.'),
  )
}
