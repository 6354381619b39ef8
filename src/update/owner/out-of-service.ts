import { dirname } from 'node:path/posix'
import type { Tree } from '../../project/tree.ts'
import type { Files } from '../../system/file-system.ts'
import type { UpdateFile } from '../files/file.ts'

/** Folders whose files run, or are read, whatever else is in them. */
const ALWAYS = /^(?:src|test|dev|docs|migrations|\..*)$/

/**
 * A note for each folder that nothing generated reads after the update, such as pages/ without the add-on: names the
 * owner's files in it, which would otherwise be out of service in silence.
 */
export function outOfServiceNotes(
  tree: Tree,
  base: Files,
  next: Files,
  files: readonly UpdateFile[],
): string[] {
  const edited = files.filter(({ decision }) => decision.action === 'yours').map(({ path }) => path)
  const own = [...tree.paths.filter((path) => !base.has(path)), ...edited].sort()
  return foldersOf(base, next).flatMap(({ folder, isList }) => {
    const inside = own.filter((path) =>
      isList ? dirname(path) === folder && path !== `${folder}/index.ts` : path.startsWith(`${folder}/`),
    )
    if (inside.length === 0) return []
    return [`out of service, because nothing reads ${folder}/ any more: ${inside.join(', ')}`]
  })
}

/** The folders of the project's own, and those with a list of their files, that are no longer generated. */
function foldersOf(base: Files, next: Files): { folder: string; isList: boolean }[] {
  const top = (files: Files) =>
    new Set([...files.keys()].flatMap((path) => (path.includes('/') ? path.split('/', 1) : [])))
  const remaining = top(next)
  const folders = [...top(base)].filter((folder) => !ALWAYS.test(folder) && !remaining.has(folder))
  const lists = [...base.keys()].filter((path) => /^src\/.*\/index\.ts$/.test(path) && !next.has(path))
  return [
    ...folders.map((folder) => ({ folder, isList: false })),
    ...lists.map((path) => ({ folder: dirname(path), isList: true })),
  ]
}
