import { firstBase } from '../../project/base.ts'
import type { Project } from '../../project/manifest.ts'
import { isMigration } from '../../project/path-rules.ts'
import type { System } from '../../system/system.ts'
import type { Action, UpdateFile } from '../files/file.ts'
import { runPasses } from '../files/passes.ts'
import type { Pending } from '../journal/journal.ts'
import { readPending } from '../journal/pending.ts'
import { atHome, movesOf } from '../owner/owner-moves.ts'
import { type Release, releaseSince } from './release.ts'

export interface Status {
  readonly project: Project
  readonly pending: Pending | undefined
  /** Paths of the files that are as generated. */
  readonly asGenerated: readonly string[]
  readonly edited: readonly string[]
  readonly deleted: readonly string[]
  /** Files that the owner moved. */
  readonly moved: readonly { readonly from: string; readonly to: string }[]
  /** Files that were not compared, with the reason. */
  readonly kept: readonly string[]
  /** Files that the generator did not write. */
  readonly yours: readonly string[]
  readonly notes: readonly string[]
  /** Undefined if this version of the command generated the project. */
  readonly release: Release | undefined
}

/**
 * Compares every file of the project with what was generated. Changes nothing, and does not finish a pending update.
 */
export function statusOf(system: System, project: Project): Status {
  const base = project.base ?? firstBase(new Map())
  const { tree } = project
  const { origins, ...sides } = atHome(tree, base, base.files, movesOf(tree, base, base.files))
  const compared = runPasses({ ...sides, tree, label: '', released: new Map() })
  const isThere = ({ disk }: UpdateFile) => disk.kind !== 'absent'
  const moved = compared.flatMap((file) => {
    const from = origins.get(file.path)
    return from !== undefined && isThere(file) ? [{ from, to: file.path }] : []
  })
  const pathsOf = (some: readonly UpdateFile[]) => some.map(({ path }) => path)
  const having = (action: Action) =>
    compared.filter(({ path, decision }) => decision.action === action && !origins.has(path))
  return {
    project,
    pending: readPending(system.fs, project.path),
    asGenerated: pathsOf(having('same').filter(isThere)),
    edited: pathsOf(having('edited')),
    deleted: compared.filter((file) => !isThere(file)).map(({ path }) => origins.get(path) ?? path),
    moved,
    kept: having('kept').map(({ path, decision }) => `${path} (${decision.detail})`),
    yours: tree.paths.filter((path) => !sides.base.files.has(path) && !isMigration(path)),
    release: releaseSince(project.manifest),
    notes: project.base ? [] : ['.authsmith/base.json is missing: edited files cannot be detected'],
  }
}
