import { join } from 'node:path'
import { FOLDER } from '../../project/records.ts'
import { UserError } from '../../system/errors.ts'
import type { FileSystem } from '../../system/file-system.ts'
import type { System } from '../../system/system.ts'
import { codeOf } from '../../system/system-error.ts'

/**
 * Lets one process at a time change the project: two processes would mix their files. Takes over the lock of a dead
 * process.
 * @throws UserError (refused) if another process holds the lock; errors of `work`
 */
export function withLock<T>(system: System, project: string, work: () => T): T {
  const lock = join(project, FOLDER, 'lock')
  take(system, lock)
  try {
    return work()
  } finally {
    system.fs.rmSync(lock, { force: true })
  }
}

/**
 * Renames a draft to the lock, so that the lock always says who holds it. Only one process at a time can have the draft:
 * the lock that it reads cannot pass to another one before the rename. That of a dead process is taken over.
 */
function take(system: System, lock: string): void {
  const { fs, pid, isAlive } = system
  refuseHeld(system, lock)
  const draft = `${lock}.tmp`
  const drafter = holderOf(fs, draft)
  if (drafter !== undefined && (drafter === pid || !isAlive(drafter))) fs.rmSync(draft, { force: true })
  try {
    fs.writeFileSync(draft, `${pid}\n`, { flag: 'wx' })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw held(draft, holderOf(fs, draft))
    throw error
  }
  try {
    refuseHeld(system, lock)
    fs.renameSync(draft, lock)
  } catch (error) {
    fs.rmSync(draft, { force: true })
    // Two processes took the draft of a dead one over at the same time, and the other one has the lock.
    throw codeOf(error) === 'ENOENT' ? held(lock, holderOf(fs, lock)) : error
  }
}

/** In a container, every run may have the same process id. */
function refuseHeld({ fs, pid, isAlive }: System, lock: string): void {
  const holder = holderOf(fs, lock)
  if (holder !== undefined && holder !== pid && isAlive(holder)) throw held(lock, holder)
}

/** The process id in a lock; undefined without a lock, or if it has none. */
function holderOf(fs: FileSystem, lock: string): number | undefined {
  try {
    const holder = Number.parseInt(fs.readFileSync(lock, 'utf8'), 10)
    return holder > 0 ? holder : undefined
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function held(file: string, holder?: number): UserError {
  const who = holder === undefined ? '' : ` (process ${holder})`
  return new UserError(
    'refused',
    `Another create-authsmith${who} is changing the project. Wait for it to end. If there is none, delete ${file}.`,
  )
}
