import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { FileSystem } from '../system/file-system.ts'
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

/** The project's last commit; undefined without one, without git or without a repository. */
export async function lastCommit(system: System, project: string): Promise<string | undefined> {
  if (!isInRepository(system.fs, project)) return undefined
  const { ok, output } = await system.run('git', ['rev-parse', '--verify', 'HEAD'], {
    cwd: project,
    signal: system.signal,
    env: gitEnvironment(system.env),
  })
  return ok ? /^[0-9a-f]{40,64}$/m.exec(output)?.[0] : undefined
}

/** The files of the project that the commits between two commits deleted; none if git does not know them. */
export async function deletedBetween(
  system: System,
  project: string,
  older: string | undefined,
  newer: string | undefined,
): Promise<ReadonlySet<string>> {
  if (older === undefined || newer === undefined || older === newer) return new Set()
  const names = ['diff', '--name-only', '-z', '--no-renames', '--relative', '--diff-filter=D']
  const { ok, output } = await system.run('git', [...names, older, newer, '--'], {
    cwd: project,
    signal: system.signal,
    env: gitEnvironment(system.env),
  })
  return new Set(ok ? output.split('\0') : [])
}

/** Whether a commit of any branch after this one, or a stash, has the file with this text. */
export async function isInOtherCommit(
  system: System,
  project: string,
  commit: string,
  path: string,
  text: string,
): Promise<boolean> {
  const hash = createHash(commit.length === 40 ? 'sha1' : 'sha256')
  const blob = hash.update(`blob ${Buffer.byteLength(text)}\0${text}`).digest('hex')
  const log = ['log', '--all', '-m', '--max-count=1', '--format=%H', `--find-object=${blob}`, '--not', commit]
  const { ok, output } = await system.run('git', [...log, '--', path], {
    cwd: project,
    signal: system.signal,
    env: gitEnvironment(system.env),
  })
  return ok && /^[0-9a-f]{40,64}$/m.test(output)
}

/** Take no lock, and run no program that the repository's configuration names. */
export const SAFELY = ['--no-optional-locks', '-c', 'core.fsmonitor=false']

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
export function isInRepository(fs: FileSystem, folder: string): boolean {
  if (fs.existsSync(join(folder, '.git'))) return true
  const parent = dirname(folder)
  return parent !== folder && isInRepository(fs, parent)
}
