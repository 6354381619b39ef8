import { dirname, join } from 'node:path/posix'
import type { Base } from '../project/base.ts'
import { readDisk } from '../project/disk.ts'
import { projectFiles } from '../project/files.ts'
import type { FileSystem } from '../system/file-system.ts'
import type { UpdateFile } from './file.ts'

type Texts = ReadonlyMap<string, string>

/**
 * Keeps the files that would be deleted although the owner's code imports them, directly or through other files:
 * without them, the service would not start. They are the owner's from then on.
 *
 * An edited file that is no longer generated belongs to what the switch removes, so it keeps no file. If it imports
 * one that is deleted, the report says so.
 * @param files all files of the update, with their decisions
 * @returns the same files, and those that an earlier update left and that import a deleted file
 */
export function keepImported(
  fs: FileSystem,
  project: string,
  { dropped }: Base,
  files: readonly UpdateFile[],
): UpdateFile[] {
  const deleted = textsOf(files, 'delete')
  if (deleted.size === 0) return [...files]
  const decided = new Set(files.map(({ path }) => path))
  const known = new Set([...decided, ...dropped.keys()])
  const own = projectFiles(fs, project).filter((path) => SOURCE.test(path) && !known.has(path))
  const roots = new Map([
    ...own.flatMap((path) => textOnDisk(fs, project, path)),
    ...textsOf(files, 'edited', 'merge', 'conflict'),
  ])
  // The owner's code may also need a file through one that an earlier switch left.
  const left = [...dropped.keys()].flatMap((path): UpdateFile[] => {
    const disk = readDisk(fs, project, path)
    if (decided.has(path) || disk.kind !== 'text') return []
    return [{ path, disk, decision: { action: 'yours' } }]
  })
  const edited = textsOf([...files, ...left], 'yours')
  const importers = importersOf(roots, new Map([...deleted, ...edited]))
  const explained = [...files, ...left].map((file): UpdateFile => {
    const importer = importers.get(file.path)
    if (importer !== undefined && deleted.has(file.path))
      return { ...file, decision: { action: 'yours', detail: keptFor(importer) } }
    const [missing] = importsOf(file.path, edited.get(file.path) ?? '', deleted).filter(
      (path) => !importers.has(path),
    )
    if (missing === undefined) return file
    const detail = `it imports ${missing}, which is deleted: delete or change it`
    return { ...file, decision: { ...file.decision, detail } }
  })
  return explained.filter(({ path, decision }) => decided.has(path) || decision.detail !== undefined)
}

/** Its scripts run files. */
const MANIFEST = 'package.json'

/** The files that code is in. */
export const SOURCE = /\.[cm]?[jt]sx?$/

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

function textOnDisk(fs: FileSystem, project: string, path: string): [string, string][] {
  const file = readDisk(fs, project, path)
  return file.kind === 'text' ? [[path, file.text]] : []
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
function importsOf(path: string, text: string, files: Texts): string[] {
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
