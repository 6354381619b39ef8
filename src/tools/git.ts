import { dirname, join } from 'node:path'
import type { FileSystem } from '../system/file-system.ts'
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

/** Take no lock, and run no program that the repository's configuration names. */
export const SAFELY = ['--no-optional-locks', '-c', 'core.fsmonitor=false']

/** Runs a command of git on the project. Without a repository, git counts as missing. */
export async function runGit(
  { fs, run, env, signal }: System,
  project: string,
  ...args: string[]
): Promise<RunResult> {
  if (!isInRepository(fs, project)) return { ok: false, missing: true, output: '' }
  return run('git', args, { cwd: project, signal, env: gitEnvironment(env) })
}

/** The project's last commit; undefined without one, without git or without a repository. */
export async function lastCommit(system: System, project: string): Promise<string | undefined> {
  const { ok, output } = await runGit(system, project, 'rev-parse', '--verify', 'HEAD')
  return ok ? /^[0-9a-f]{40,64}$/m.exec(output)?.[0] : undefined
}

/** Whether the last commit has a file as it is on disk. */
export const isCommitted = async (system: System, project: string, path: string): Promise<boolean> =>
  (await runGit(system, project, ...SAFELY, 'diff', '--quiet', 'HEAD', '--', path)).ok

/**
 * Whether a repository contains the project. One of a parent folder may ignore it, as that of a home folder does.
 */
export async function isVersioned(
  { fs, env }: Pick<System, 'fs' | 'env'>,
  runInProject: RunInProject,
  project: string,
): Promise<boolean> {
  if (!isInRepository(fs, project)) return false
  if (fs.existsSync(join(project, '.git'))) return true
  return !(await runInProject('git', ['check-ignore', '--quiet', '.'], gitEnvironment(env))).ok
}

/** Whether the folder or one of its parents has a `.git`. */
function isInRepository(fs: FileSystem, folder: string): boolean {
  if (fs.existsSync(join(folder, '.git'))) return true
  const parent = dirname(folder)
  return parent !== folder && isInRepository(fs, parent)
}
