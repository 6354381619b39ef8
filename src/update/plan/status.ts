import { firstBase } from '../../project/base.ts'
import type { Project } from '../../project/manifest.ts'
import { isMigration } from '../../project/path-rules.ts'
import type { System } from '../../system/system.ts'
import type { Action, UpdateFile } from '../files/file.ts'
import { runPasses } from '../files/passes.ts'
import type { Pending } from '../journal/journal.ts'
import { readPending } from '../journal/pending.ts'
import { homeIn, movesOf } from '../owner/owner-moves.ts'
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
  const sides = { tree: project.tree, base, next: base.files, label: '', released: new Map() }
  const compared = runPasses(sides)
  const moves = movesOf(project.tree, base, base.files)
  const moved = compared
    .map(({ path }) => ({ from: path, to: homeIn(moves, path) }))
    .filter(({ from, to }) => from !== to && project.tree.file(to).kind !== 'absent')
  const [old, now] = [moved.map(({ from }) => from), moved.map(({ to }) => to)]
  const pathsOf = (some: readonly UpdateFile[]) => some.map(({ path }) => path)
  const having = (action: Action) => compared.filter(({ decision }) => decision.action === action)
  return {
    project,
    pending: readPending(system.fs, project.path),
    asGenerated: pathsOf(having('same').filter(({ disk }) => disk.kind !== 'absent')),
    edited: pathsOf(having('edited')),
    deleted: pathsOf(compared.filter(({ path, disk }) => disk.kind === 'absent' && !old.includes(path))),
    moved,
    kept: having('kept').map(({ path, decision }) => `${path} (${decision.detail})`),
    yours: project.tree.paths.filter(
      (path) => !base.files.has(path) && !isMigration(path) && !now.includes(path),
    ),
    release: releaseSince(project.manifest),
    notes: project.base ? [] : ['.authsmith/base.json is missing: edited files cannot be detected'],
  }
}
