import { dirname, join } from 'node:path'
import type { FileSystem } from '../system/file-system.ts'
import type { System } from '../system/system.ts'

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

/** Whether the folder or one of its parents has a `.git`. */
export function isInRepository(fs: FileSystem, folder: string): boolean {
  if (fs.existsSync(join(folder, '.git'))) return true
  const parent = dirname(folder)
  return parent !== folder && isInRepository(fs, parent)
}
