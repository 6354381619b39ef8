import { FOLDER } from '../../project/records.ts'
import { refused } from '../../system/errors.ts'
import type { System } from '../../system/system.ts'
import { lastChange, lastCommit } from '../../tools/git.ts'
import type { Pending } from './journal.ts'
import { hasPending } from './pending.ts'

/**
 * Refuses to finish or undo an update after a commit: git has no journal, and the journal does not know what was committed,
 * pulled or checked out.
 * @throws UserError (refused) with the command of git that helps
 */
export async function refuseCommitted(
  system: System,
  project: string,
  { commit }: Partial<Pending> = {},
): Promise<void> {
  const last = await lastCommit(system, project)
  if (commit === undefined || last === undefined || last === commit) return
  const isFinished = !hasPending(system.fs, project)
  const update = isFinished && (await lastChange(system, project, `${FOLDER}/manifest.json`, commit))
  const start = commit.slice(0, 12)
  // Reverting a commit without the update could delete the project.
  throw refused(
    update
      ? `There are commits since the last update. Undo it with \`git revert ${update}\`, then compare .env with .env.example.`
      : `The update began at commit ${start}, which is not the last one now. If you committed since, run \`git reset --soft ${start}\`, which changes no file. If you switched the branch, switch back.` +
          (isFinished ? '' : ' Or end the update without changing a file: `regenerate --forget --yes`.'),
  )
}
