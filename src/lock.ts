import { join } from 'node:path'
import { UserError } from './errors.ts'
import type { FileSystem } from './file-system.ts'
import { FOLDER } from './own-files.ts'
import type { World } from './world.ts'

/**
 * Lets one process at a time change the project: two at once would mix their files. A lock of a process that is no
 * more is taken over.
 * @throws UserError (refused) where another process has it; errors of `work`
 */
export function withLock<T>(world: World, project: string, work: () => T): T {
  const lock = join(project, FOLDER, 'lock')
  takeLock(world, lock, 2)
  try {
    return work()
  } finally {
    world.fs.rmSync(lock, { force: true })
  }
}

function takeLock(world: World, lock: string, tries: number): void {
  try {
    world.fs.writeFileSync(lock, `${world.pid}\n`, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const holder = holderOf(world.fs, lock)
    // In a container every run may have the same number.
    if (tries === 0 || (holder !== undefined && holder !== world.pid && world.isAlive(holder))) {
      throw new UserError(
        'refused',
        `another create-authsmith (process ${holder}) is changing the project; wait for it, or delete ${lock}`,
      )
    }
    world.fs.rmSync(lock, { force: true })
    takeLock(world, lock, tries - 1)
  }
}

function holderOf(fs: FileSystem, lock: string): number | undefined {
  try {
    const pid = Number(fs.readFileSync(lock, 'utf8'))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}
