import { type Base, baseFor } from '../project/base.ts'
import { readDisk } from '../project/disk.ts'
import { isMigration } from '../project/path-rules.ts'
import type { Files } from '../system/file-system.ts'
import type { System } from '../system/system.ts'
import { formatAsProject, type Sides } from '../tools/formatter.ts'
import type { Text, Undecided } from './file.ts'

export interface Comparison {
  readonly files: readonly Undecided[]
  /** Why the texts are not formatted, so that a file that only the formatter changed may count as edited. */
  readonly fault?: string | undefined
}

/**
 * Collects, for each file except migrations, what was generated last time, what is on disk and what is generated now.
 * Runs the project's formatter only if a file differs from both generated texts.
 */
export async function compare(system: System, project: string, base: Base, next: Files): Promise<Comparison> {
  const last = baseFor(base, next)
  const paths = [...new Set([...last.keys(), ...next.keys()])].filter((path) => !isMigration(path)).sort()
  const disk = new Map(paths.map((path) => [path, readDisk(system.fs, project, path)]))
  const texts = new Map(
    [...disk].map(([path, file]): [string, Sides] => [
      path,
      { base: last.get(path), disk: file.kind === 'text' ? file.text : undefined, next: next.get(path) },
    ]),
  )
  const { files: formatted, fault } = [...texts.values()].some(isEdited)
    ? await formatAsProject(system, project, texts)
    : { files: texts }
  const folders = deletedFolders(base.files.keys(), (path) => disk.get(path)?.kind === 'absent')
  const files = [...disk].map(([path, file]): Undecided => {
    const laidOut = formatted.get(path) ?? {}
    return {
      path,
      base: pair(last.get(path), laidOut.base),
      disk: file.kind === 'text' ? { ...file, formatted: laidOut.disk ?? file.text } : file,
      next: pair(next.get(path), laidOut.next),
      dropped: droppedAs(base, path),
      isFolderDeleted: foldersOf(path).some((folder) => folders.has(folder)),
    }
  })
  return { files, fault }
}

const isEdited = ({ base, disk, next }: Sides) =>
  disk !== undefined && base !== undefined && disk !== base && disk !== next

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

function pair(text: string | undefined, formatted = text): Text | undefined {
  return text === undefined || formatted === undefined ? undefined : { text, formatted }
}
