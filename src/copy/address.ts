import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Database } from '../answers/variant.ts'
import { COMMAND } from '../system/command.ts'
import { failed, UserError, wrongUsage } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { codeOf } from '../system/system-error.ts'

/** The address of a database. `file` is an absolute path. */
export type Address =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string }

const EXAMPLES: Record<Database, string> = {
  sqlite: 'a SQLite file, such as file:data/app.db',
  postgres: 'a PostgreSQL address, such as postgres://user@host:5432/name',
}

/**
 * Parses the value of `--from` or `--to`: a valid DATABASE_URL, or the path of a SQLite file.
 * @param cwd the folder that a relative path starts from
 * @throws UserError (usage) without the text, because it may contain a password (CWE-532)
 */
export function parseAddress(flag: string, text: string, cwd: string): Address {
  if (/^postgres(?:ql)?:\/\/./.test(text)) return { kind: 'postgres', url: text }
  const file = fileOf(text, cwd)
  if (file === undefined) throw wrongUsage(`\`${flag}\` must be ${EXAMPLES.sqlite}, or ${EXAMPLES.postgres}.`)
  return { kind: 'sqlite', file }
}

/** @throws UserError (usage) if the project does not use this kind of database, with the command that switches it */
export function refuseOtherKind(address: Address, project: Database): void {
  if (address.kind === project) return
  throw wrongUsage(
    `\`--to\` must be the address of the database that this project uses: ${EXAMPLES[project]}. To move to the other kind, ` +
      `first run: ${COMMAND} regenerate --database ${address.kind}`,
  )
}

function fileOf(text: string, cwd: string): string | undefined {
  const path = text.replace(/^file:(?!\/\/\/)/, '')
  // One letter before the colon is a Windows drive; a longer word is another kind of address.
  if (path === '' || text.includes(':memory:') || (path === text && /^(?!file:)[\w+.-]{2,}:/.test(text)))
    return undefined
  try {
    return path.startsWith('file:') ? fileURLToPath(path) : resolve(cwd, path)
  } catch {
    return undefined
  }
}

/** The first bytes of each file of SQLite. */
const HEADER = 'SQLite format 3\0'

/**
 * Looks at the files before any driver is there: better-sqlite3 may compile for minutes.
 * @throws UserError (failed) if the source is missing, or one of them is no database
 */
export function refuseForeignFiles(fs: FileSystem, from: Address, to: Address): void {
  if (from.kind === 'sqlite' && startOf(fs, from.file, 'copy from') === '')
    throw cannot('copy from', from.file, 'is missing or empty')
  if (to.kind === 'sqlite') startOf(fs, to.file, 'copy into')
}

/** @returns an empty text if nothing is there */
function startOf(fs: FileSystem, file: string, purpose: string): string {
  let start: string
  try {
    if (fs.statSync(file).isDirectory()) throw cannot(purpose, file, 'is a directory')
    start = readStart(fs, file)
  } catch (error) {
    if (error instanceof UserError) throw error
    if (codeOf(error) === 'ENOENT') return ''
    throw cannot(purpose, file, `cannot be read (${codeOf(error)})`)
  }
  if (start !== '' && start !== HEADER) throw cannot(purpose, file, 'is not a SQLite database')
  return start
}

function readStart(fs: FileSystem, file: string): string {
  const bytes = Buffer.alloc(HEADER.length)
  const handle = fs.openSync(file, 'r')
  try {
    return bytes.toString('latin1', 0, fs.readSync(handle, bytes, 0, bytes.length, 0))
  } finally {
    fs.closeSync(handle)
  }
}

const cannot = (purpose: string, file: string, fault: string) =>
  failed(`Cannot open the database to ${purpose}: ${file} ${fault}`)
