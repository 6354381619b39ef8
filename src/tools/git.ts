import { join } from 'node:path'
import { type FileSystem, foldersFrom } from '../system/file-system.ts'
import type { RunResult } from '../system/run.ts'
import type { System } from '../system/system.ts'
import type { RunInProject } from './tool-run.ts'

/** Variables that git sets in hooks. With them, git would use the caller's repository instead of the project's. */
const FOREIGN =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX)$/

/** The variables to remove from the environment of git. */
export function gitEnvironment(env: System['env']): Record<string, undefined> {
  const foreign = Object.keys(env).filter((name) => FOREIGN.test(name))
  return Object.fromEntries(foreign.map((name) => [name, undefined]))
}

/** Take no lock, and run no hook and no fsmonitor. */
const SAFELY = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']

/** No daemon and no remote: a partial clone would fetch what is missing, through a program of its configuration. */
const OFFLINE = { GIT_ALLOW_PROTOCOL: '', GIT_NO_LAZY_FETCH: '1' }

/** The configuration of filters, which git runs to compare a file, and of hooks. */
const PROGRAMS = String.raw`^(filter\..*\.(clean|smudge|process|required)|hook\..*\.(command|event))$`

/**
 * Runs a command of git on the project, and no program that the repository's own configuration names (CWE-426): the owner
 * may have unpacked it from anywhere. Programs of the user's configuration, such as Git LFS, run. Without a repository, git
 * counts as missing.
 */
export async function runGit(
  { fs, run, env, signal }: System,
  project: string,
  ...args: string[]
): Promise<RunResult> {
  if (!isInRepository(fs, project)) return { ok: false, missing: true, output: '' }
  const git = (args: string[], more = {}) =>
    run('git', [...SAFELY, ...args], {
      cwd: project,
      signal,
      env: { ...gitEnvironment(env), ...OFFLINE, ...more },
    })
  const found = await git(['config', '--show-scope', '--name-only', '-z', '--get-regexp', PROGRAMS])
  // Nothing found is a failure without a text.
  if (!found.ok && found.output.trim() !== '') return found
  return git(args, without(namesOf(found.output), Number(env.GIT_CONFIG_COUNT ?? 0)))
}

/** The names in pairs of a scope and a name. */
function namesOf(output: string): string[] {
  const fields = output.split('\0')
  return fields.filter((_, index) => index % 2 === 1 && /^(local|worktree)$/.test(fields[index - 1] ?? ''))
}

/** The variables that make these settings empty. A name may contain =, which `-c` would take for the end of it. */
function without(names: string[], given: number): Record<string, string> {
  const pairs = names.flatMap((name, index) => [
    [`GIT_CONFIG_KEY_${given + index}`, name],
    [`GIT_CONFIG_VALUE_${given + index}`, name.endsWith('.required') ? 'false' : ''],
  ])
  return { GIT_CONFIG_COUNT: String(given + names.length), ...Object.fromEntries(pairs) }
}

/** The project's last commit; undefined without one, without git or without a repository. */
export async function lastCommit(system: System, project: string): Promise<string | undefined> {
  const { ok, output } = await runGit(system, project, 'rev-parse', '--verify', 'HEAD')
  return ok ? /^[0-9a-f]{40,64}$/m.exec(output)?.[0] : undefined
}

/** The last commit on top of `since` that changed a file, abbreviated; undefined if there is none. */
export async function lastChange(
  system: System,
  project: string,
  path: string,
  since: string,
): Promise<string | undefined> {
  const newest = ['rev-list', '--max-count=1', '--abbrev-commit', '--ancestry-path']
  const { ok, output } = await runGit(system, project, ...newest, `${since}..HEAD`, '--', path)
  return ok ? /^[0-9a-f]{4,64}$/m.exec(output)?.[0] : undefined
}

/** Whether a repository contains the project. One of a parent folder may ignore it, as that of a home folder does. */
export async function isVersioned(
  { fs, env }: Pick<System, 'fs' | 'env'>,
  runInProject: RunInProject,
  project: string,
): Promise<boolean> {
  if (!isInRepository(fs, project)) return false
  if (fs.existsSync(join(project, '.git'))) return true
  const asked = [...SAFELY, 'check-ignore', '--quiet', '.']
  return !(await runInProject('git', asked, gitEnvironment(env))).ok
}

/** Files that no commit will have, each with the pattern that git ignores it by: `.git/info/exclude:3:*.sql`. */
export type Ignored = readonly { readonly path: string; readonly source: string }[]

/** Which of these files git ignores, but `.env`. None if it ignores the whole project. */
export async function ignoredAmong(system: System, project: string, paths: string[]): Promise<Ignored> {
  const { output } = await runGit(system, project, 'check-ignore', '--verbose', '--', '.', ...paths)
  const matches = [...output.matchAll(/^(.+?:\d+:[^!\n].*)\t(.+)$/gm)]
  const ignored = matches.map(([, source = '', path = '']) => ({ path, source }))
  return ignored[0]?.path === '.' ? [] : ignored.filter(({ path }) => path !== '.env')
}

/** Whether the folder or one of its parents has a `.git`. */
const isInRepository = (fs: FileSystem, folder: string): boolean =>
  foldersFrom(folder).some((each) => fs.existsSync(join(each, '.git')))
