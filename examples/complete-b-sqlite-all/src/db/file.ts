import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError } from '../config.ts'

/** The size of the database file; undefined if it is missing. @throws ConfigError if the path leads to anything else */
export function sizeOf(file: string): number | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  // To open a pipe would wait for its other end.
  if (found && !found.isFile()) throw new ConfigError(`DATABASE_URL: ${file} is not a file`)
  return found?.size
}

/** Whether the folder is for all accounts of its group, as a volume of an orchestrator is. /tmp is not: everyone writes there. */
const isOfGroup = (folder: string): boolean => (statSync(folder).mode & 0o1022) === 0o020

/**
 * Creates the database file if it is missing. Only the service's account may read it, or the group of its folder if that
 * may write there: it can contain password hashes.
 * @param createsFolder whether to create its folder too
 * @returns whether the file is empty, and becomes a new database
 * @throws ConfigError if the path is wrong, and is then as it was
 */
export function createFile(file: string, createsFolder: boolean): boolean {
  const size = sizeOf(file)
  if (size !== undefined) return size === 0
  if (lstatSync(file, { throwIfNoEntry: false }))
    throw new ConfigError(`DATABASE_URL: ${file} is a link to nothing`)
  const folder = dirname(file)
  if (createsFolder) mkdirSync(folder, { recursive: true, mode: 0o700 })
  // After a typo, all users would seem to be gone.
  else if (!existsSync(folder))
    throw new ConfigError(
      `DATABASE_URL: there is no folder ${folder}: correct the path, or create a new database with db:migrate (in production: node dist/commands/migrate.js)`,
    )
  // SQLite would create a file that everyone can read.
  closeSync(openSync(file, 'a', 0o600))
  if (isOfGroup(folder)) chmodSync(file, 0o660)
  return true
}

/** The files of other accounts that were warned of: each connection opens the file. */
const warnedOf = new Set<string>()

/**
 * Only the service's account may read the database: in an existing folder, other accounts could copy the hashes. Changes
 * nothing in a folder of a group, nor what another account owns, which only that account may change.
 */
export function restrict(file: string): void {
  // SQLite follows a link, and has the other parts beside the file.
  const path = realpathSync(file)
  const owner = statSync(path).uid
  const user = process.getuid?.() ?? owner
  if (owner !== user && !warnedOf.has(path)) {
    warnedOf.add(path)
    console.error(`DATABASE_URL: user ${owner} owns ${path}, the service runs as ${user} and keeps its mode`)
  }
  if (isOfGroup(dirname(path))) return
  // Never opened here: closing it would release the locks of this process (sqlite.org/howtocorrupt.html section 2.2).
  for (const part of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      if (statSync(part).uid === user) chmodSync(part, 0o600)
    } catch (error) {
      // SQLite adds the missing ones later, with the mode of the file.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}
