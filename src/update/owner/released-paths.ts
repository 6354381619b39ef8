import { join } from 'node:path'
import { pathFault } from '../../project/path-rules.ts'
import { filesSchema } from '../../project/records.ts'
import type { FileSystem, Files } from '../../system/file-system.ts'
import { readJson } from '../../system/read-json.ts'
import { decide } from '../files/decide.ts'
import type { Decision } from '../files/file.ts'
import type { Pass } from '../files/passes.ts'
import { withImports } from './owner-moves.ts'

const isPath = (value: unknown): value is string =>
  typeof value === 'string' && pathFault(value) === undefined

/**
 * Reads `blueprints/moved.json`: the files whose path changed in a newer version.
 * @returns old path → new path
 * @throws JsonFault if the file is invalid
 */
export function readReleasedPaths(fs: FileSystem, blueprints: string): Files {
  const file = join(blueprints, 'moved.json')
  if (!fs.existsSync(file)) return new Map()
  return readJson(fs.readFileSync(file, 'utf8'), filesSchema(pathFault, isPath))
}

/**
 * Carries the owner's edits to the new path of a file that the generator moved, if they merge without a conflict. If
 * several files became one, or the owner has a file at the new path, the edited file stays at the old one.
 */
export const followReleased: Pass = (files, { released, label }) => {
  const homes = [...released.values()]
  const byPath = new Map(files.map((file) => [file.path, file]))
  const decisions = new Map<string, Decision>()
  for (const { path, base, disk, decision } of files) {
    const newHome = released.get(path) ?? ''
    const home = byPath.get(newHome)
    const isEdited = decision.action === 'yours' || (decision.action === 'delete' && decision.detail)
    if (!isEdited || !base || disk.kind !== 'text' || home?.decision.action !== 'create') continue
    if (homes.indexOf(newHome) !== homes.lastIndexOf(newHome)) continue
    const there = (text: string) => withImports(path, released, text)
    const edited = { ...disk, text: there(disk.text) }
    const merged = decide({ path: newHome, base: there(base), disk: edited, next: home.next }, label)
    if (merged.action !== 'merge' && merged.action !== 'edited') continue
    decisions.set(newHome, {
      action: 'merge',
      text: merged.text ?? edited.text,
      detail: `moved from ${path}`,
    })
    decisions.set(path, { action: 'delete' })
  }
  return files.map((file) => ({ ...file, decision: decisions.get(file.path) ?? file.decision }))
}

/** Adds the new path of the code to the decision for a moved file that the owner keeps, if this project has that path. */
export const nameReleasedPaths: Pass = (files, { released, next }) =>
  files.map((file) => {
    const newHome = released.get(file.path)
    if (file.decision.action !== 'yours' || newHome === undefined || !next.has(newHome)) return file
    return { ...file, decision: { ...file.decision, newHome } }
  })
