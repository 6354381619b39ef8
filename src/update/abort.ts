import type { Project } from '../project/manifest.ts'
import { isMigration } from '../project/path-rules.ts'
import { refused } from '../system/errors.ts'
import type { System } from '../system/system.ts'
import { changedSince, isUndoneExceptEnv, undo } from './journal/apply.ts'
import { refuseCommitted } from './journal/commits.ts'
import type { Pending } from './journal/journal.ts'
import { hasPending, listed, noUpdate, readPending, readUndo } from './journal/pending.ts'
import { answersOf, changing, type Outcome } from './transaction.ts'

/**
 * Undoes an update, also a finished one until the owner's next commit: restores every byte of the project, except in
 * files that the owner changed since.
 * @param force also if there are such files, or if only .env is left to restore
 * @throws UserError (refused) if there is no update, or if it was committed; without `force`, also if files changed since
 */
export async function abort(system: System, project: Project, force: boolean): Promise<Outcome> {
  const journal = () => readPending(system.fs, project.path) ?? readUndo(system.fs, project.path)
  await refuseCommitted(system, project.path, journal())
  const { pending, kept, isFinished } = changing(system, project.path, () => {
    const pending = journal()
    if (!pending) throw noUpdate(system.fs, project.path)
    const isFinished = !hasPending(system.fs, project.path)
    if (isFinished && !force) refuseUndoneExceptEnv(system, project, pending)
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
  throw refused(
    'Only .env is as the update wrote it: git has the other files as before. If you still need the update, for instance from a stash, keep .env. Otherwise restore it with `regenerate --abort --yes`.',
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
    throw refused(
      `${journal} changed since the update. Take the migrations that came after it back first: \`npx drizzle-kit drop\`.`,
    )
  if (edited.length === 0 || force) return
  throw refused(
    `${listed(edited)} changed since the update. To keep that and undo the rest, run \`regenerate --abort --yes\`. ` +
      'To get the old text back, delete the file first.' +
      (isFinished ? '' : ' To end the update without changing a file, run `regenerate --forget`.'),
  )
}
