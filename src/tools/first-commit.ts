import { join } from 'node:path'
import type { System } from '../system/system.ts'
import { gitEnvironment, isVersioned } from './git.ts'
import { failed, type RunInProject, skipped, type ToolRun } from './tool-run.ts'

const MESSAGE = 'Initial commit'

/** What must never be committed. The generated .gitignore lists both, but one that was already in the target may not. */
const MUST_BE_IGNORED = ['.env', 'node_modules/']

/** Git would ask for the key's passphrase. */
const UNSIGNED = 'not signed, although commit.gpgsign is set: git commit --amend --no-edit --gpg-sign'

/** Does the same by hand. */
export const COMMIT_COMMAND = [
  'git init',
  ...MUST_BE_IGNORED.map((path) => `git check-ignore --quiet ${path}`),
  'git add --all',
  `git commit -m "${MESSAGE}"`,
].join(' && ')

/** Creates a git repository with one commit, if git has an identity and the project is not inside a repository. */
export async function firstCommit(
  system: System,
  runInProject: RunInProject,
  project: string,
): Promise<ToolRun> {
  if (await isVersioned(system, runInProject, project)) {
    const isRoot = system.fs.existsSync(join(project, '.git'))
    const workflows = isRoot ? '' : ', of which GitHub reads workflows only at its root'
    return skipped('git', `already inside a git repository${workflows}`)
  }
  const env = gitEnvironment(system.env)
  const git = (...args: string[]) => runInProject('git', args, env)

  // Asks for the identity that a commit would get, without git's guess from the host's name.
  const identity = await git('-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT')
  if (!identity.ok) return skipped('git', 'git is not installed, or user.name and user.email are not set')

  const initialized = await git('init', '--quiet')
  if (!initialized.ok) return failed('git', initialized, COMMIT_COMMAND)
  const { output } = await git('check-ignore', ...MUST_BE_IGNORED)
  const unsafe = MUST_BE_IGNORED.filter((path) => !output.split('\n').includes(path))
  if (unsafe.length > 0) return skipped('git', `no commit: .gitignore does not list ${unsafe.join(' and ')}`)
  // Writes all files into one pack, which is five times as fast as one loose object per file.
  const added = await git('-c', 'core.bigFileThreshold=1', 'add', '--all')
  if (!added.ok) return failed('git', added, COMMIT_COMMAND)
  // What only the user's configuration ignores, such as *.sql, is part of the project.
  const left = await git('ls-files', '--others', '--exclude-per-directory=.gitignore')
  const forced = await git('add', '--force', '--', ...(left.output.match(/^(?!\.env$).+$/gm) ?? []))
  if (!forced.ok) return failed('git', forced, COMMIT_COMMAND)
  // A hook or a signing key may prompt the user, which is not possible here.
  const quiet = ['--quiet', '--no-verify', '--no-gpg-sign']
  const committed = await git('-c', 'maintenance.auto=false', 'commit', ...quiet, '-m', MESSAGE)
  if (!committed.ok) return failed('git', committed, COMMIT_COMMAND)
  const signs = await git('config', '--type=bool', '--get', 'commit.gpgsign')
  const isUnsigned = signs.ok && signs.output.trim() === 'true'
  return { name: 'git', status: 'done', ...(isUnsigned && { detail: UNSIGNED }) }
}
