import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { FOLDER } from '../../project/records.ts'
import { UserError } from '../../system/errors.ts'
import type { FileSystem } from '../../system/file-system.ts'
import type { System } from '../../system/system.ts'
import { codeOf } from '../../system/system-error.ts'

/** One claim of a lock: the process that made it, and a token that no other claim has. */
interface Claim {
  readonly path: string
  /** Undefined if the file does not say. */
  readonly pid: number | undefined
  readonly token: string | undefined
}

/**
 * Lets one process at a time change the project: two processes would mix their files. Takes over the lock of a dead
 * process.
 *
 * A lock is a chain of claims. The first is the file `lock`; each next one is named after the token of the claim before
 * it. The last claim holds the lock. The claim of a dead process is never removed or overwritten, only followed, so
 * exactly one of several processes takes over. A release removes the chain from its start: a claim that the start does
 * not lead to is invalid.
 * @throws UserError (refused) if another process holds the lock; errors of `work`
 */
export function withLock<T>(system: System, project: string, work: () => T): T {
  const chain = takeLock(system, join(project, FOLDER, 'lock'))
  try {
    removeStale(system.fs, join(project, FOLDER), chain)
    return work()
  } finally {
    for (const { path } of chain) system.fs.rmSync(path, { force: true })
  }
}

const MOST_CLAIMS = 100
const TOKEN = /^[0-9a-f-]{36}$/

/** @returns the claims up to our own */
function takeLock(system: System, lock: string): readonly Claim[] {
  const { fs, pid } = system
  for (let tries = 0; tries < MOST_CLAIMS; tries += 1) {
    const chain = readChain(fs, lock)
    const last = chain.at(-1)
    // In a container every run may have the same process id.
    if (last?.pid !== undefined && last.pid !== pid && system.isAlive(last.pid)) throw held(lock, last.pid)
    if (chain.length === MOST_CLAIMS) break
    const token = randomUUID()
    const path = last ? next(lock, last) : lock
    if (!createWhole(fs, path, `${pid}\n${token}\n`)) continue
    // The chain that we followed may have been released meanwhile.
    const now = readChain(fs, lock)
    if (now.at(-1)?.token === token) return now
    fs.rmSync(path, { force: true })
  }
  throw held(lock)
}

/** Removes the drafts and claims that killed processes left. A process whose draft is removed tries again. */
function removeStale(fs: FileSystem, folder: string, chain: readonly Claim[]): void {
  const used = new Set(chain.map(({ path }) => path))
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name)
    if (/^lock\..*\.tmp$/.test(name) && !used.has(path)) fs.rmSync(path, { force: true })
  }
}

/** Creates a file with its text in one step. @returns false if there is one already, or the draft was removed */
function createWhole(fs: FileSystem, path: string, text: string): boolean {
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    fs.writeFileSync(draft, text, { flag: 'wx' })
    try {
      fs.linkSync(draft, path)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      // On a disk without hard links (exFAT, some network drives) the text comes a moment after the file.
      if (!/^(EPERM|ENOSYS|ENOTSUP|EOPNOTSUPP)$/.test(codeOf(error) ?? '')) throw error
      fs.writeFileSync(path, text, { flag: 'wx' })
    }
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

function readChain(fs: FileSystem, lock: string): Claim[] {
  const chain: Claim[] = []
  for (let path = lock; chain.length < MOST_CLAIMS; ) {
    const claim = readClaim(fs, path)
    if (!claim) break
    chain.push(claim)
    path = next(lock, claim)
  }
  return chain
}

function readClaim(fs: FileSystem, path: string): Claim | undefined {
  try {
    const [holder = '', token = ''] = fs.readFileSync(path, 'utf8').split('\n')
    const pid = Number(holder)
    return {
      path,
      pid: Number.isSafeInteger(pid) && pid > 0 ? pid : undefined,
      token: TOKEN.test(token) ? token : undefined,
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The path of the claim that follows another. The project's .authsmith/.gitignore lists such names. */
const next = (lock: string, { path, token }: Claim) => `${token ? `${lock}.${token}` : path}.next.tmp`

function held(lock: string, pid?: number): UserError {
  const who = pid === undefined ? '' : ` (process ${pid})`
  return new UserError(
    'refused',
    `Another create-authsmith${who} is changing the project. Wait for it to end. If there is none, delete ${lock}.`,
  )
}
