import type nodeFs from 'node:fs'
import { dirname, join } from 'node:path'
import { refused } from './errors.ts'

/** Texts by their path in the project, with `/` between segments. */
export type Files = ReadonlyMap<string, string>

/** The functions of `node:fs` that the generator uses. Tests pass memfs. */
export type FileSystem = Pick<
  typeof nodeFs,
  | 'chmodSync'
  | 'chownSync'
  | 'closeSync'
  | 'existsSync'
  | 'fsyncSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'mkdtempSync'
  | 'openSync'
  | 'readdirSync'
  | 'readFileSync'
  | 'readSync'
  | 'renameSync'
  | 'rmdirSync'
  | 'rmSync'
  | 'statSync'
  | 'writeFileSync'
>

/** The paths of all files below `folder`, relative to it, with `/` between segments. */
export const filesBelow = (fs: FileSystem, folder: string, prefix = ''): string[] =>
  fs.readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = `${prefix}${entry.name}`
    return entry.isDirectory() ? filesBelow(fs, folder, `${path}/`) : [path]
  })

/** The names of the folders in a folder, sorted. */
export const foldersIn = (fs: FileSystem, folder: string): string[] =>
  fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

/** A folder and those above it, from the nearest. */
export function foldersFrom(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersFrom(parent)]
}

/** @throws UserError (refused) if the current directory was removed */
export function refuseMissingDirectory(cwd: string): void {
  if (cwd === '') throw refused('The current directory no longer exists. Change to another one.')
}

/** The source of a regular expression for a pattern of paths, such as `packages/*`, `apps/**` or `{api,web}`. */
export const globSource = (pattern: string): string =>
  pattern.replace(/\*\*\/|\*\*|[*?{},]|[^\w/]/g, (part) => PARTS[part] ?? `\\${part}`)

const PARTS: Record<string, string> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '{': '(?:',
  '}': ')',
  ',': '|',
}
