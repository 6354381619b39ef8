import { basename, dirname } from 'node:path/posix'
import type { Files } from '../system/file-system.ts'

/** Folders whose files an `index.ts` lists, so that a file is all that an add-on needs. */
const LISTED = ['src/errors', 'src/exports', 'src/passwords/validators', 'src/settings']

/** The first line of a list, which may be empty: an add-on and the owner then both add to it. */
const HEADING = '// One line for each file of this folder that exports a const of its own name.\n'

/**
 * Adds an `index.ts` to each of these folders: a line for each file that exports a const of its own name
 * (`rate-limits.ts` exports `rateLimits`), sorted by path as Biome sorts them.
 */
export function withLists(files: Files): Files {
  const lists = LISTED.flatMap((folder): [string, string][] => {
    const paths = [...files.keys()].filter((path) => dirname(path) === folder).sort()
    const lines = paths.flatMap((path) => lineOf(basename(path, '.ts'), files.get(path) ?? ''))
    return paths.length > 0 ? [[`${folder}/index.ts`, HEADING + lines.join('')]] : []
  })
  return new Map([...files, ...lists])
}

function lineOf(file: string, text: string): string[] {
  const name = file.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return new RegExp(`^export const ${name}\\b`, 'm').test(text)
    ? [`export { ${name} } from './${file}.ts'\n`]
    : []
}
