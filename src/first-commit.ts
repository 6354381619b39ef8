import { gitEnvironment, isInRepository } from './git.ts'
import { failed, type RunInProject, type Step, skipped } from './step.ts'
import type { World } from './world.ts'

const MESSAGE = 'Initial commit'
const COMMAND = `git init && git add --all && git commit -m "${MESSAGE}"`

/** What must never be committed. Our own .gitignore says so; one that the target had before may not. */
const MUST_BE_IGNORED = ['.env', 'node_modules/']

/**
 * Makes the project a git repository with one commit, where git knows who commits and no repository is there yet.
 * @param project absolute path of the project
 */
export async function firstCommit(world: World, runInProject: RunInProject, project: string): Promise<Step> {
  if (isInRepository(world.fs, project)) return skipped('git', 'already inside a git repository')
  const env = gitEnvironment(world.env)
  const git = (...args: string[]) => runInProject('git', args, env)

  // Asks for the identity that a commit would get, without git's guess from the host's name.
  const identity = await git('-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT')
  if (!identity.ok) return skipped('git', 'git is missing or knows no user.name and user.email')

  const initialized = await git('init', '--quiet')
  if (!initialized.ok) return failed('git', initialized, COMMAND)
  const { output } = await git('check-ignore', ...MUST_BE_IGNORED)
  const unsafe = MUST_BE_IGNORED.filter((path) => !output.split('\n').includes(path))
  if (unsafe.length > 0) return skipped('git', `no commit: .gitignore does not list ${unsafe.join(' and ')}`)
  // Every file straight into one pack: a loose object for each would take five times as long.
  const added = await git('-c', 'core.bigFileThreshold=1', 'add', '--all')
  if (!added.ok) return failed('git', added, COMMAND)
  // No hook and no signing key of the user's may ask for anything: nobody answers here.
  const quiet = ['--quiet', '--no-verify', '--no-gpg-sign']
  const committed = await git('-c', 'maintenance.auto=false', 'commit', ...quiet, '-m', MESSAGE)
  return committed.ok ? { name: 'git', status: 'done' } : failed('git', committed, COMMAND)
}
