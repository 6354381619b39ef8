import { join } from 'node:path'
import * as z from 'zod'
import { refused, type UserError } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { shorten } from '../system/printing.ts'
import { decodeUtf8, JsonFault, readJson, refuseUnreadable } from '../system/read-json.ts'
import { codeOf } from '../system/system-error.ts'

/** The folder in the project that records what was generated. */
export const FOLDER = '.authsmith'

/**
 * The files in that folder, with the maximum size of each in bytes. `undo.tmp` has an ending that the .gitignore lists.
 */
export const RECORDS = {
  'manifest.json': 64 * 1024,
  'base.json': 32 * 1024 * 1024,
  'pending.json': 128 * 1024 * 1024,
  'undo.tmp': 128 * 1024 * 1024,
} as const
export type RecordFile = keyof typeof RECORDS

/** The folder's .gitignore. A journal may contain the secrets of `.env` and must never be committed. */
export const IGNORED_TEXT = 'lock\npending.json\n*.tmp\n'

/** The version of the format of these files. */
export const FORMAT_VERSION = 1

/** Creates the error for a file: what is wrong with it, and how to fix it. */
export function recordFault(file: RecordFile, fault: string, fix: string = FIXES[file]): UserError {
  return refused(`${FOLDER}/${file} ${fault}. ${fix}`)
}

const FIXES: Record<RecordFile, string> = {
  'manifest.json': 'Restore it from git or a backup.',
  'base.json':
    'Restore it from git or a backup, or delete it: then each file that differs from its new text becomes a conflict.',
  'pending.json':
    'Restore it, or run `regenerate --forget --yes`, which deletes it and changes no other file.',
  'undo.tmp': 'Delete it: then the last update can only be undone with git.',
}

/**
 * Reads one of the generator's files as untrusted input.
 * @returns undefined if it does not exist
 * @throws UserError (refused) for anything but a text file within its size limit, in a real folder
 */
export function readRecordText(fs: FileSystem, project: string, file: RecordFile): string | undefined {
  const folder = fs.lstatSync(join(project, FOLDER), { throwIfNoEntry: false })
  if (!folder) return undefined
  // With a link, an attacker could choose which files are read and overwritten elsewhere (CWE-59).
  if (!folder.isDirectory()) throw refused(`${FOLDER} is not a directory. Restore it from git or a backup.`)
  const path = join(project, FOLDER, file)
  const stats = fs.lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  try {
    refuseUnreadable(stats, RECORDS[file])
    return decodeUtf8(fs.readFileSync(path))
  } catch (error) {
    if (error instanceof JsonFault) throw recordFault(file, error.message)
    throw recordFault(file, `cannot be read (${codeOf(error)})`)
  }
}

/**
 * Parses and validates such a text.
 * @throws UserError (refused) that names the file and what is wrong with it
 */
export function parseRecord<T extends z.ZodType>(file: RecordFile, text: string, schema: T): z.output<T> {
  if (/^<{7} /m.test(text))
    throw recordFault(
      file,
      'has conflict markers',
      'Resolve the conflicts of your code, keep the records of your branch with `git restore --source=HEAD --staged --worktree -- .authsmith migrations`, then run `regenerate --allow-dirty` with what the other branch switched. The restore removes migrations of your own that only the other branch has: see docs/regenerate.md of create-authsmith.',
    )
  try {
    return readJson(text, schema, FORMAT_VERSION)
  } catch (error) {
    if (error instanceof JsonFault) throw recordFault(file, error.message, error.fix)
    throw error
  }
}

/**
 * The schema of an object whose keys are paths.
 * @param faultOf returns what is wrong with a path
 */
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
