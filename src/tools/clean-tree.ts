import { refused } from '../system/errors.ts'
import { shorten } from '../system/printing.ts'
import type { System } from '../system/system.ts'
import { runGit } from './git.ts'

/**
 * Refuses a project with uncommitted changes, because they would be mixed with those of the update. Does nothing
 * without git or without a repository.
 * @throws UserError (refused)
 */
export async function refuseDirtyTree(system: System, project: string): Promise<void> {
  // A submodule has a configuration of its own, whose programs git would run to look for changes inside.
  const command = ['status', '--porcelain', '--untracked-files=all', '--ignore-submodules=dirty', '--', '.']
  const { ok, missing, output } = await runGit(system, project, ...command)
  if (missing) return
  if (!ok) {
    const said = shorten(output.trim().split('\n')[0] ?? '', 120)
    throw refused(`git status failed (${said}). Fix that, or pass \`--allow-dirty\`.`)
  }
  // The output may contain warnings, such as about a folder that cannot be read.
  const changed = output.split('\n').filter((line) => /^[ MTADRCU?]{2} /.test(line))
  if (changed.length === 0) return
  const shown = changed.slice(0, 3).map((line) => line.slice(3))
  throw refused(
    `${changed.length} file${changed.length === 1 ? ' has' : 's have'} uncommitted changes ` +
      `(${shorten(shown.join(', '), 120)}${changed.length > 3 ? ', …' : ''}). Commit them, or pass \`--allow-dirty\`.`,
  )
}
