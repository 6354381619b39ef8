import { dirname, join } from 'node:path/posix'
import { SOURCE } from '../../merge/layout.ts'
import { schemaFiles } from '../../project/schema-files.ts'
import type { Tree } from '../../project/tree.ts'
import type { UpdateFile } from '../files/file.ts'
import type { Pass } from '../files/passes.ts'

type Texts = ReadonlyMap<string, string>

/**
 * Keeps the files that would be deleted although the owner's code imports them, directly or through other files:
 * without them, the service would not start. They are the owner's from then on.
 *
 * An edited file that is no longer generated belongs to what goes, so it keeps no file, unless it defines a table:
 * Drizzle Kit would drop that. If it needs a file that is deleted, it is a conflict: only the owner knows whether it
 * should go too. A file that an earlier update left is added if it has such a conflict.
 */
export const keepImported: Pass = (files, { tree, base: { dropped } }) => {
  const deleted = textsOf(files, 'delete')
  if (deleted.size === 0) return files
  const decided = new Set(files.map(({ path }) => path))
  const known = new Set([...decided, ...dropped.keys()])
  // What the owner has edited of earlier states, also in earlier updates.
  const left = [...dropped.keys()].flatMap((path): UpdateFile[] => {
    const disk = tree.file(path)
    if (decided.has(path) || disk.kind !== 'text') return []
    return [{ path, disk, decision: { action: 'yours' } }]
  })
  const edited = textsOf([...files, ...left], 'yours')
  const own = tree.paths.filter((path) => SOURCE.test(path) && !known.has(path))
  const tables = schemaFiles(tree)
  const roots = new Map([
    ...own.flatMap((path) => textOnDisk(tree, path)),
    ...textsOf(files, 'edited', 'merge', 'conflict'),
    ...[...edited].filter(([path]) => tables.has(path)),
  ])
  const importers = importersOf(roots, new Map([...deleted, ...edited]))
  const gone = new Map([...deleted].filter(([path]) => !importers.has(path)))
  return [...files, ...left].flatMap((file): UpdateFile[] => {
    const { path } = file
    const importer = importers.get(path)
    if (importer !== undefined && deleted.has(path))
      return [{ ...file, decision: { action: 'yours', detail: keptFor(importer) } }]
    const [lack] = edited.has(path) && SOURCE.test(path) ? importsOf(path, edited.get(path) ?? '', gone) : []
    if (lack !== undefined)
      return [
        {
          ...file,
          decision: { action: 'conflict', detail: `needs ${lack}, which is deleted: change or delete it` },
        },
      ]
    return decided.has(path) ? [file] : []
  })
}

/** Its scripts run files. */
const MANIFEST = 'package.json'

const keptFor = (importer: string): string =>
  importer === MANIFEST ? `named in ${importer}` : `imported by ${importer}`

/** The text that each file with one of the actions has after the update. */
function textsOf(files: readonly UpdateFile[], ...actions: UpdateFile['decision']['action'][]): Texts {
  return new Map(
    files.flatMap(({ path, disk, decision: { action, text } }): [string, string][] => {
      const after = text ?? (disk.kind === 'text' ? disk.text : undefined)
      return actions.includes(action) && after !== undefined ? [[path, after]] : []
    }),
  )
}

/** Also of a file in another encoding, such as UTF-16 or Latin-1: its imports are ASCII. */
function textOnDisk(tree: Tree, path: string): [string, string][] {
  const file = tree.file(path)
  const text = file.kind === 'other' ? file.binary?.toString('latin1').replaceAll('\0', '') : tree.text(path)
  return text === undefined ? [] : [[path, text]]
}

/** The files that the roots import, directly or through each other, and who imports each. */
function importersOf(roots: Texts, files: Texts): Map<string, string> {
  const importers = new Map<string, string>()
  const visit = (path: string, text: string) => {
    for (const target of importsOf(path, text, files)) {
      if (importers.has(target)) continue
      importers.set(target, path)
      visit(target, files.get(target) ?? '')
    }
  }
  for (const [path, text] of roots) visit(path, text)
  return importers
}

/**
 * A path in quotes, as in imports and `new URL`: relative, with an alias such as `@/` or `#src/`, or, in code, from the
 * project's folder or `src/`. Comments write the last kind in backticks.
 */
const SPECIFIER = /(['"`])(?:(\.{1,2}\/)|([@~#]\w*\/)|(?<=['"])(?=[\w-]+\/))([^'"`\n]+)\1/g

/** A path in a script of package.json. That of a compiled file names its source. */
const IN_SCRIPT = /(?:\bdist\/)?([\w-]+\/[\w./-]+)/g

/** Which of the files a text imports. A path in a comment counts too, which at most keeps a file. */
export function importsOf(path: string, text: string, files: Texts): string[] {
  const targets =
    path === MANIFEST
      ? [...text.matchAll(IN_SCRIPT)].flatMap(([, target = '']) => [target, `src/${target}`])
      : [...text.matchAll(SPECIFIER)].flatMap(([, , relative, alias, rest = '']) => {
          if (relative) return [join(dirname(path), `${relative}${rest}`)]
          return alias || SOURCE.test(path) ? [rest, `src/${rest}`] : []
        })
  return targets.flatMap(spellings).filter((target) => files.has(target))
}

/** The files that an import may mean: TypeScript reads `a.ts` for `a.js`, and bundlers complete `a`. */
const spellings = (path: string): string[] => [
  path,
  path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'),
  `${path}.ts`,
  `${path}/index.ts`,
]
