import { join } from 'node:path'
import { readDisk } from '../../project/disk.ts'
import { FOLDER } from '../../project/records.ts'
import { refused, type UserError } from '../../system/errors.ts'
import type { System } from '../../system/system.ts'
import { codeOf } from '../../system/system-error.ts'

/**
 * Lets one process at a time change the project: two would mix their files. Only one can have the draft, so the lock that
 * it reads cannot pass to another one before the rename, which takes over that of a dead process.
 * @throws UserError (refused) if another process holds the lock; errors of `work`
 */
export function withLock<T>(system: System, project: string, work: () => T): T {
  const { fs, pid } = system
  const lock = join(project, FOLDER, 'lock')
  const draft = `${lock}.tmp`
  try {
    fs.writeFileSync(draft, `${pid}\n`, { flag: 'wx' })
    if (isHeld(system, project)) throw held(lock)
    fs.renameSync(draft, lock)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw held(draft)
    fs.rmSync(draft, { force: true })
    throw error
  }
  try {
    return work()
  } finally {
    fs.rmSync(lock, { force: true })
  }
}

/** In a container, every run may have the same process id. */
function isHeld({ fs, pid, isAlive }: System, project: string): boolean {
  const lock = readDisk(fs, project, `${FOLDER}/lock`)
  if (lock.kind !== 'text') return lock.kind === 'other'
  const holder = Number.parseInt(lock.text, 10)
  return holder !== pid && isAlive(holder)
}

const held = (file: string): UserError =>
  refused(
    `Another create-authsmith is changing the project. Wait for it to end. If there is none, delete ${file}.`,
  )
