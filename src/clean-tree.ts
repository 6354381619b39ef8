import { UserError } from './errors.ts'
import { shorten } from './escape.ts'
import { gitEnvironment, isInRepository } from './git.ts'
import type { World } from './world.ts'

/**
 * Refuses a project with changes that are not committed: they could not be told from the update's. Where there is no git or no
 * repository, there is nothing to tell.
 * @throws UserError (refused)
 */
export async function refuseDirtyTree(world: World, project: string): Promise<void> {
  if (!isInRepository(world.fs, project)) return
  // Without a lock and without the programs that a repository's configuration may name.
  const args = [
    '--no-optional-locks',
    '-c',
    'core.fsmonitor=false',
    'status',
    '--porcelain',
    '--untracked-files=all',
    '--',
    '.',
  ]
  const { ok, missing, output } = await world.run('git', args, {
    cwd: project,
    signal: world.signal,
    env: gitEnvironment(world.env),
  })
  if (missing) return
  if (!ok) {
    const said = shorten(output.trim().split('\n')[0] ?? '', 120)
    throw new UserError(
      'refused',
      `git cannot say whether all is committed (${said}); mend that, or add --allow-dirty`,
    )
  }
  // A warning about a folder that cannot be read is no change.
  const changed = output.split('\n').filter((line) => /^[ MTADRCU?]{2} /.test(line))
  if (changed.length === 0) return
  const shown = changed.slice(0, 3).map((line) => line.slice(3))
  throw new UserError(
    'refused',
    `${changed.length} file${changed.length === 1 ? ' has' : 's have'} changes that are not committed ` +
      `(${shorten(shown.join(', '), 120)}${changed.length > 3 ? ', …' : ''}); commit them, or add --allow-dirty`,
  )
}
