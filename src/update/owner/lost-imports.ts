import type { Pass } from '../files/passes.ts'
import { importsOf } from './keep-imported.ts'
import { ownerMoves } from './owner-moves.ts'

/**
 * Adds a note to each file that the update makes import a path which the owner moved or deleted: it fails until the owner
 * changes the import. Files that the owner moved are followed with their imports.
 */
export const nameLostImports: Pass = (files, sides) => {
  const isMissing = ({ disk, decision }: (typeof files)[number]) =>
    disk.kind === 'absent' && decision.text === undefined
  const missing = new Map(files.filter(isMissing).map(({ path }) => [path, '']))
  if (missing.size === 0) return files
  const lostBy = new Map(
    files.map(({ path, disk, decision }) => {
      const before = disk.kind === 'text' ? importsOf(path, disk.text, missing) : []
      const after = new Set(importsOf(path, decision.text ?? '', missing))
      return [path, [...after].filter((target) => !before.includes(target))]
    }),
  )
  // To look for what the owner moved compares all files, which few updates need here.
  if ([...lostBy.values()].every((lost) => lost.length === 0)) return files
  const homes = new Map(ownerMoves(files, sides).map(({ file, path }) => [file.path, path]))
  return files.map((file) => {
    const { path, notes = [] } = file
    const why = (target: string) => (homes.has(target) ? `moved to ${homes.get(target)}` : 'deleted')
    const added = (lostBy.get(path) ?? []).map(
      (target) => `${path} imports ${target}, which you ${why(target)}: change the import`,
    )
    return added.length === 0 ? file : { ...file, notes: [...notes, ...added] }
  })
}
