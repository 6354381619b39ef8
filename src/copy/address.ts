import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Database } from '../answers/variant.ts'
import { UserError } from '../system/errors.ts'

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
  if (file === undefined)
    throw new UserError('usage', `\`${flag}\` must be ${EXAMPLES.sqlite}, or ${EXAMPLES.postgres}.`)
  return { kind: 'sqlite', file }
}

/** @throws UserError (usage) if the project does not use this kind of database, with the command that switches it */
export function refuseOtherKind(address: Address, project: Database): void {
  if (address.kind === project) return
  throw new UserError(
    'usage',
    `\`--to\` must be the address of the database that this project uses: ${EXAMPLES[project]}. To move to the other kind, ` +
      `first run: npx create-authsmith@latest regenerate --database ${address.kind}`,
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
