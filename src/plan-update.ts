import type { Answers } from './answers.ts'
import { type Base, baseFor, baseText, firstBase, nextBase } from './base.ts'
import { type Comparison, compare } from './compare.ts'
import type { Decided } from './decided.ts'
import { encodeAs, readDisk, refuseLinkOnTheWay } from './disk.ts'
import { carryEnv } from './env-carry.ts'
import { ELSEWHERE, isProfileSwitch } from './env-changes.ts'
import { UserError } from './errors.ts'
import { firstManifest, manifestText, type Project } from './manifest.ts'
import { type Decision, decide, isSame, type Versions } from './merge.ts'
import type { Change, Pending } from './pending.ts'
import { planOf } from './plan.ts'
import { type Rendered, render } from './render.ts'
import { schemaFiles } from './schema-files.ts'
import { type SwitchedMigrations, switchMigrations } from './switch-migrations.ts'
import type { World } from './world.ts'

export interface UpdateOptions {
  readonly to: Answers
  readonly existingUsers: 'unverified' | 'verified'
}

/** All that an update does, before anything of it is done. */
export interface Update {
  readonly from: Answers
  readonly to: Answers
  /** What becomes of each file that is or was generated, and of .env and the migrations where they change. */
  readonly decisions: readonly Decision[]
  readonly notes: readonly string[]
  readonly pending: Pending
  /** Neither a file nor what the next update compares with changes. */
  readonly isEmpty: boolean
}

/**
 * answers → plan → render → merge → changes. Reads the project and changes nothing.
 * @throws UserError (refused) where the project holds what cannot be built upon
 */
export async function planUpdate(world: World, project: Project, options: UpdateOptions): Promise<Update> {
  const { to } = options
  const from = project.manifest.answers
  const next = render(world.fs, world.blueprints, planOf(to))
  const base = project.base ?? firstBase(new Map())
  const comparison = await compare(world, project.path, baseFor(base, next), next)
  const label = [to.mode, to.profile].filter(Boolean).join(' ')
  const decided = comparison.files.map(({ versions, file }) => {
    if (file.kind === 'other' && file.isBelowLink && isWanted(versions))
      refuseLinkOnTheWay(world.fs, project.path, versions.path)
    return { decision: decideAgain(base, versions, decide(versions, label)), file }
  })
  const migrations = switchMigrations(world, {
    project,
    ...options,
    base: project.base?.files ?? render(world.fs, world.blueprints, planOf(from)),
    next,
    keptSchemas: keptSchemas(world, project, next, decided),
  })
  const added = [...migrations.files].map(([path, text]) => addMigration(world, project, path, text))
  const env = planEnv(world, project, next, to)
  const all = [...decided, ...added, ...env.files]
  const pending = pendingOf(project, options, nextBase(base, next, decided), migrations, all)
  const notes = [...baseNotes(project, comparison), ...migrations.notes, ...env.notes]
  const isEmpty =
    pending.changes.length === 0 && project.base !== undefined && pending.nextBase === baseText(project.base)
  return { from, to, decisions: all.map(({ decision }) => decision), notes, pending, isEmpty }
}

/**
 * A file that is generated again, after a while, and is not there: what the owner deleted when it was generated stays
 * deleted; what only was left over, edited, is made anew.
 */
function decideAgain({ former }: Base, { path, disk, next }: Versions, decision: Decision): Decision {
  if (!next || disk.kind !== 'absent' || !former.has(path)) return decision
  return former.get(path) === null
    ? { path, action: 'deleted' }
    : { path, action: 'create', text: next.formatted }
}

/** Whether the generator has something to write at a path. */
function isWanted({ base, next }: Versions): boolean {
  return next !== undefined && (!base || !isSame(base, next))
}

/**
 * The texts of schema files that stay on the disk and are not generated: the owner's, those that were edited or renamed,
 * and what an earlier switch left. Drizzle Kit finds their tables.
 */
function keptSchemas(
  { fs }: World,
  { path: root }: Project,
  next: Rendered,
  decided: readonly Decided[],
): string[] {
  const deleted = new Set(
    decided.flatMap(({ decision: { path, action } }) => (action === 'delete' ? [path] : [])),
  )
  return [...schemaFiles(fs, root)].flatMap(([path, text]) =>
    next.has(path) || deleted.has(path) ? [] : [text],
  )
}

function addMigration(world: World, { path: root }: Project, path: string, text: string): Decided {
  refuseLinkOnTheWay(world.fs, root, path)
  const file = readDisk(world.fs, root, path)
  if (file.kind === 'other')
    throw new UserError('refused', `${path} is ${file.what}; it must be a file of text`)
  return { decision: { path, action: file.kind === 'absent' ? 'create' : 'update', text }, file }
}

/** The owner's .env gets what the new settings need; not where nothing about the settings changed, nor where there is none. */
function planEnv(world: World, { path, manifest, base }: Project, next: Rendered, to: Answers) {
  const from = manifest.answers
  const example = next.get('.env.example')
  const file = readDisk(world.fs, path, '.env')
  const isOther = example !== base?.files.get('.env.example') || JSON.stringify(from) !== JSON.stringify(to)
  if (example === undefined || !isOther) return { files: [], notes: [] }
  if (file.kind === 'absent') return { files: [], notes: isProfileSwitch({ from, to }) ? [ELSEWHERE] : [] }
  if (file.kind === 'other') {
    return { files: [], notes: [`.env is ${file.what}, and stays as it is; compare it with .env.example`] }
  }
  const { text, notes } = carryEnv({ env: file.text, example, from, to, now: world.now() })
  const decision = { path: '.env', action: 'update', text } as const
  return { files: text === file.text ? [] : [{ decision, file }], notes }
}

function pendingOf(
  project: Project,
  { to }: UpdateOptions,
  next: Base,
  { history, migrated }: SwitchedMigrations,
  decided: readonly Decided[],
): Pending {
  return {
    state: 'applying',
    changes: decided.flatMap(changeOf),
    conflicts: decided.flatMap(({ decision }) => (decision.action === 'conflict' ? [decision.path] : [])),
    previousManifest: project.manifestText,
    previousBase: project.baseText ?? null,
    nextManifest: manifestText({ ...firstManifest(to), history, migrated }),
    nextBase: baseText(next),
  }
}

function changeOf({ decision: { path, action, text }, file }: Decided): Change[] {
  const before = file.kind === 'text' ? { bytes: file.bytes, mode: file.mode } : null
  if (action === 'delete') return [{ path, before, after: null }]
  if (text === undefined) return []
  return [{ path, before, after: { bytes: encodeAs(file, text), mode: before?.mode } }]
}

function baseNotes({ base }: Project, { fault }: Comparison): string[] {
  const missing =
    '.authsmith/base.json is missing: what was generated last time is not known, so that each file that differs from its ' +
    'new text is a conflict, a deleted one comes back, and one that is not generated any more stays'
  return [...(base ? [] : [missing]), ...(fault ? [fault] : [])]
}
