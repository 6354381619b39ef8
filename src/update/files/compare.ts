import { type Base, baseFor } from '../../project/base.ts'
import { textFile } from '../../project/disk.ts'
import { isMigration } from '../../project/path-rules.ts'
import type { Tree } from '../../project/tree.ts'
import type { Files } from '../../system/file-system.ts'
import type { Undecided } from './file.ts'

/**
 * Collects, for each file except migrations, what was generated last time, what is on disk and what is generated now.
 */
export function compare(tree: Tree, base: Base, next: Files): Undecided[] {
  const last = baseFor(base, next)
  const paths = [...new Set([...last.keys(), ...next.keys()])].filter((path) => !isMigration(path)).sort()
  const disk = new Map(paths.map((path) => [path, tree.file(path)]))
  const folders = deletedFolders(base.files.keys(), (path) => disk.get(path)?.kind === 'absent')
  return [...disk].map(([path, file]) => ({
    path,
    base: last.get(path),
    disk: file,
    next: next.get(path),
    dropped: droppedAs(base, path),
    restyled: base.restyled.has(path) ? textFile(Buffer.from(base.restyled.get(path) ?? ''), 0) : undefined,
    isFolderDeleted: foldersOf(path).some((folder) => folders.has(folder)),
  }))
}

/**
 * The folders with at least two generated files, of which none is left: new ones there would need the others. A single
 * missing file says nothing about the next one. Folders of src/ do not count: the owner may have moved one, and the
 * generated rest of the service imports its new files.
 */
function deletedFolders(generated: Iterable<string>, isAbsent: (path: string) => boolean): Set<string> {
  const missing = new Map<string, number>()
  for (const path of generated) {
    if (isMigration(path) || path.startsWith('src/')) continue
    for (const folder of foldersOf(path)) {
      const count = missing.get(folder) ?? 0
      missing.set(folder, isAbsent(path) ? count + 1 : Number.NaN)
    }
  }
  return new Set([...missing].flatMap(([folder, count]) => (count >= 2 ? [folder] : [])))
}

/** The folders that a path is in: `a` and `a/b` for `a/b/c.ts`. */
const foldersOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, depth, names) => names.slice(0, depth + 1).join('/'))

function droppedAs({ dropped }: Base, path: string): Undecided['dropped'] {
  if (!dropped.has(path)) return undefined
  return dropped.get(path) === null ? 'deleted' : 'edited'
}
