import type { Pass } from '../files/passes.ts'
import { importsOf } from './keep-imported.ts'

/** Adds a note to each file that the update makes import what the owner deleted: it fails until they change the import. */
export const nameLostImports: Pass = (files) => {
  const isMissing = ({ disk, decision }: (typeof files)[number]) =>
    disk.kind === 'absent' && decision.text === undefined
  const missing = new Map(files.filter(isMissing).map(({ path }) => [path, '']))
  if (missing.size === 0) return files
  return files.map((file) => {
    const { path, disk, decision, notes = [] } = file
    const before = disk.kind === 'text' ? importsOf(path, disk.text, missing) : []
    const lost = new Set(importsOf(path, decision.text ?? '', missing).filter((one) => !before.includes(one)))
    const added = [...lost].map((one) => `${path} imports ${one}, which you deleted: change the import`)
    return added.length === 0 ? file : { ...file, notes: [...notes, ...added] }
  })
}
