import { join } from 'node:path'
import * as z from 'zod'
import { UserError } from './errors.ts'
import { shorten } from './escape.ts'
import type { FileSystem } from './file-system.ts'

/** The folder in the project that remembers what was generated. */
export const FOLDER = '.authsmith'

/** What the generator keeps in its folder, with the most bytes that each may have. */
export const OWN_FILES = {
  'manifest.json': 64 * 1024,
  'base.json': 32 * 1024 * 1024,
  'pending.json': 128 * 1024 * 1024,
} as const
export type OwnFile = keyof typeof OWN_FILES

/** The folder's own .gitignore: a journal may hold the secrets of `.env`, and must never be committed. */
export const IGNORED_TEXT = 'lock\npending.json\n*.tmp\n'

/** Only one version of the three files' format is known yet. */
export const FORMAT_VERSION = 1

/** A fault in one of the files: what is wrong, and how to mend it. */
export function ownFault(file: OwnFile, fault: string): UserError {
  const mend = {
    'manifest.json': 'restore it from git or a backup',
    'base.json':
      'restore it from git or a backup, or delete it: then each file that differs from its new text becomes a conflict',
    'pending.json': 'restore it, or take the project back with git and delete it',
  }
  return new UserError('refused', `${FOLDER}/${file} ${fault}; ${mend[file]}`)
}

/**
 * Reads one of the generator's files, which anybody who can change the project may have written.
 * @returns undefined where it is not there
 * @throws UserError (refused) where it is anything but a file of a bearable size, in a folder that is one
 */
export function readOwnText(fs: FileSystem, project: string, file: OwnFile): string | undefined {
  const folder = fs.lstatSync(join(project, FOLDER), { throwIfNoEntry: false })
  if (!folder) return undefined
  // A link would let its maker choose what is read and overwritten elsewhere (CWE-59).
  if (!folder.isDirectory()) throw new UserError('refused', `${FOLDER} is not a directory; make it one`)
  const path = join(project, FOLDER, file)
  const stats = fs.lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  if (!stats.isFile()) throw ownFault(file, 'is not a file')
  if (stats.size > OWN_FILES[file]) throw ownFault(file, `is larger than ${OWN_FILES[file]} bytes`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw ownFault(
      file,
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not text' : `cannot be read (${code})`,
    )
  }
}

/**
 * The value in such a text, checked member by member; unknown members are an error.
 * @throws UserError (refused) that names the file and what is wrong with it
 */
export function parseOwn<T extends z.ZodType>(file: OwnFile, text: string, schema: T): z.output<T> {
  let value: unknown
  try {
    value = JSON.parse(text, refusePrototype)
  } catch {
    throw ownFault(file, 'is not JSON that the generator wrote')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw ownFault(file, 'does not hold one JSON object')
  }
  const version = (value as { formatVersion?: unknown }).formatVersion
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    throw new UserError(
      'refused',
      `${FOLDER}/${file} was written by a newer create-authsmith; run npx create-authsmith@latest`,
    )
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const at = issue?.path.map((key) => shorten(String(key), 120)).join('.')
  const unknown = issue?.code === 'unrecognized_keys' ? ` "${shorten(issue.keys[0] ?? '')}"` : ''
  throw ownFault(
    file,
    `is damaged${at ? ` at ${at}` : ''}: ${shorten(issue?.message ?? 'unknown fault', 120)}${unknown}`,
  )
}

/** zod drops such a key before it looks for unknown ones, and code that copies it sets a prototype (CWE-1321). */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('__proto__ is no key of ours')
  return value
}

/** JSON as it is written to the generator's files: readable in a diff. */
export function ownText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Something by each path; `faultOf` says what is wrong with a path. */
export function filesSchema<T>(
  faultOf: (path: string) => string | undefined,
  isValue: (value: unknown) => value is T,
) {
  return z.unknown().transform((value, context): ReadonlyMap<string, T> => {
    const issue = (message: string) => context.addIssue({ code: 'custom', message })
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      issue('must be an object')
      return z.NEVER
    }
    const files = new Map<string, T>()
    for (const [path, content] of Object.entries(value)) {
      const fault = faultOf(path) ?? (isValue(content) ? undefined : 'has no text')
      if (fault) issue(`"${shorten(path)}" ${fault}`)
      else if (isValue(content)) files.set(path, content)
    }
    return files
  })
}
