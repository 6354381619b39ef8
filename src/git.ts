import { dirname, join } from 'node:path'
import type { FileSystem } from './file-system.ts'
import type { World } from './world.ts'

/** Inside a git hook these variables point at the caller's repository: the project's must not be looked for there. */
const FOREIGN =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX)$/

/** What to take out of the environment of git. */
export function gitEnvironment(env: World['env']): Record<string, undefined> {
  const foreign = Object.keys(env).filter((name) => FOREIGN.test(name))
  return Object.fromEntries(foreign.map((name) => [name, undefined]))
}

export function isInRepository(fs: FileSystem, folder: string): boolean {
  if (fs.existsSync(join(folder, '.git'))) return true
  const parent = dirname(folder)
  return parent !== folder && isInRepository(fs, parent)
}
