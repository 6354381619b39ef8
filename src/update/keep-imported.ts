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
 */
export function keepImported(
  fs: FileSystem,
  project: string,
  { dropped }: Base,
  files: readonly UpdateFile[],
): UpdateFile[] {
  const deleted = textsOf(files, 'delete')
  if (deleted.size === 0) return [...files]
  const edited = textsOf(files, 'yours')
  const decided = new Set(files.map(({ path }) => path))
  const known = new Set([...decided, ...dropped.keys()])
  const own = projectFiles(fs, project).filter((path) => SOURCE.test(path) && !known.has(path))
  const roots = new Map([
    ...own.flatMap((path) => textOnDisk(fs, project, path)),
    ...textsOf(files, 'edited', 'merge', 'conflict'),
  ])
  // The owner's code may also need a file through one that an earlier switch kept.
  const keptBefore = [...dropped.keys()]
    .filter((path) => !decided.has(path))
    .flatMap((path) => textOnDisk(fs, project, path))
  const importers = importersOf(roots, new Map([...keptBefore, ...deleted, ...edited]))
  return files.map((file): UpdateFile => {
    const importer = importers.get(file.path)
    if (importer !== undefined && deleted.has(file.path))
      return { ...file, decision: { action: 'yours', detail: `imported by ${importer}` } }
    const [missing] = importsOf(file.path, edited.get(file.path) ?? '', deleted).filter(
      (path) => !importers.has(path),
    )
    if (missing === undefined) return file
    const detail = `it imports ${missing}, which is deleted: delete or change it`
    return { ...file, decision: { ...file.decision, detail } }
  })
}

/** The files that code is in. */
const SOURCE = /\.[cm]?[jt]sx?$/

/** The text that each file with one of the actions has after the update. */
function textsOf(files: readonly UpdateFile[], ...actions: UpdateFile['decision']['action'][]): Texts {
  return new Map(
    files.flatMap(({ path, disk, decision: { action, text } }): [string, string][] =>
      actions.includes(action) && disk.kind === 'text' ? [[path, text ?? disk.text]] : [],
    ),
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

/** A path in quotes, as in imports and `new URL`: relative, or with an alias such as `@/` or `#src/`. */
const SPECIFIER = /(['"`])(?:(\.{1,2}\/)|[@~#]\w*\/)([^'"`\n]+)\1/g

/** Which of the files a text imports. A path in a comment counts too, which at most keeps a file. */
function importsOf(path: string, text: string, files: Texts): string[] {
  return [...text.matchAll(SPECIFIER)].flatMap(([, , relative, rest = '']) => {
    const targets =
      relative === undefined ? [rest, `src/${rest}`] : [join(dirname(path), `${relative}${rest}`)]
    return targets.flatMap(spellings).filter((target) => files.has(target))
  })
}

/** The files that an import may mean: TypeScript reads `a.ts` for `a.js`, and bundlers complete `a`. */
const spellings = (path: string): string[] => [
  path,
  path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'),
  `${path}.ts`,
  `${path}/index.ts`,
]
