import { basename, dirname, relative } from 'node:path/posix'
import type { Files } from '../system/file-system.ts'

/** Folders whose files an `index.ts` lists, so that a file is all that an add-on needs. */
const LISTED = [
  'src/additions',
  'src/errors',
  'src/exports',
  'src/factors',
  'src/settings/algorithms',
  'src/settings',
]

/** The first line of a list, which may be empty: an add-on and the owner then both add to it. */
const HEADING = '// One line for each file of this folder that exports a const of its own name.\n'

/**
 * Adds the `index.ts` of each of these folders that has a file, or whose `index.ts` a file of src/ imports: a line for each
 * file that exports a const of its own name (`rate-limits.ts` exports `rateLimits`), sorted by path as Biome sorts them.
 */
export function withLists(files: Files): Files {
  const lists = LISTED.flatMap((folder): [string, string][] => {
    const paths = [...files.keys()].filter((path) => dirname(path) === folder).sort()
    const lines = paths.flatMap((path) => lineOf(basename(path, '.ts'), files.get(path) ?? ''))
    const index = `${folder}/index.ts`
    return paths.length > 0 || isImported(index, files) ? [[index, HEADING + lines.join('')]] : []
  })
  return new Map([...files, ...lists])
}

const isImported = (index: string, files: Files): boolean =>
  [...files].some(([path, text]) => path.startsWith('src/') && text.includes(`'${importOf(index, path)}'`))

const importOf = (file: string, importer: string): string => {
  const path = relative(dirname(importer), file)
  return path.startsWith('.') ? path : `./${path}`
}

function lineOf(file: string, text: string): string[] {
  const name = file.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return new RegExp(`^export const ${name}\\b`, 'm').test(text)
    ? [`export { ${name} } from './${file}.ts'\n`]
    : []
}
