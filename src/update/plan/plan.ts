import { type Answers, isSameAnswers } from '../../answers/answers.ts'
import { accountsIn, hasUsers } from '../../answers/variant.ts'
import { planOf } from '../../blueprints/layers.ts'
import { projectFiles } from '../../migrations/project-files.ts'
import type { ExistingUsers } from '../../migrations/rows/rule.ts'
import { type Base, firstBase, isSameBase } from '../../project/base.ts'
import { encodeAs, refuseBelowLink } from '../../project/disk.ts'
import { firstManifest, type Manifest, type Project } from '../../project/manifest.ts'
import { refused } from '../../system/errors.ts'
import type { System } from '../../system/system.ts'
import { filesFor } from '../../tools/workspace.ts'
import type { UpdateFile } from '../files/file.ts'
import { type Pass, runPasses } from '../files/passes.ts'
import type { Change, Pending } from '../journal/journal.ts'
import { keepImported } from '../owner/keep-imported.ts'
import { keepPackages } from '../owner/keep-packages.ts'
import { nameLostImports } from '../owner/lost-imports.ts'
import { outOfServiceNotes } from '../owner/out-of-service.ts'
import { ownTables } from '../owner/own-tables.ts'
import { atHome, homeIn, movesOf, withOrigin } from '../owner/owner-moves.ts'
import { followReleased, nameReleasedPaths, readReleasedPaths } from '../owner/released-paths.ts'
import { unexportedNotes } from '../owner/unexported-tables.ts'
import { additionText, commentNotes, removalNotes } from './add-on-notes.ts'
import { nextBase } from './next-base.ts'
import { planEnv } from './plan-env.ts'
import { type PlannedMigrations, planMigrations, watchedJournal } from './plan-migrations.ts'
import { type Release, releaseSince } from './release.ts'

export interface UpdateOptions {
  readonly to: Answers
  readonly existingUsers: ExistingUsers
}

/** Everything that an update will do. */
export interface Update {
  readonly from: Answers
  readonly to: Answers
  /** What to do about added add-ons. */
  readonly addition: string | undefined
  /** Each file that is or was generated, and .env and the migrations if they change. */
  readonly files: readonly UpdateFile[]
  readonly notes: readonly string[]
  /** The owner's tables that the new database would not get, and how to change that. */
  readonly untranslated: readonly string[]
  readonly pending: Pending
  /** Undefined if this version of the command generated the project. */
  readonly release: Release | undefined
  /** Whether neither a file nor `.authsmith/` would change. */
  readonly isEmpty: boolean
}

/**
 * Plans an update: answers → plan → render → merge → changes. Reads the project and changes nothing.
 * @throws UserError (refused) if the project's files or migrations cannot be updated
 */
export function planUpdate(system: System, given: Project, options: UpdateOptions): Update {
  const { to, existingUsers } = options
  const { manifest, tree } = given
  const from = manifest.answers
  const plan = planOf(to)
  const rendered = projectFiles(system.fs, system.blueprints, plan)
  const last = given.base ?? firstBase(new Map())
  const fresh = filesFor(system.fs, given.path, to.packageManager, rendered, last.files)
  const moves = movesOf(tree, last, fresh)
  const home = (path: string) => homeIn(moves, path)
  // From here on, all paths are the owner's.
  const { base, next, origins } = atHome(tree, last, fresh, moves)
  const project: Project = { ...given, base: given.base && base }
  const released = readReleasedPaths(system.fs, system.blueprints)
  const generated = runPasses(
    {
      tree,
      base,
      next,
      label: [to.mode, to.profile].filter(Boolean).join(' '),
      released: new Map([...released].map(([from, path]) => [home(from), home(path)])),
    },
    [...(project.base ? [refuseInTheWay] : []), ...PASSES],
  ).map((file) => withOrigin(file, origins.get(file.path)))
  const migrations = planMigrations(system, { project, to, existingUsers, next }, generated)
  const env = planEnv(given, to, fresh)
  const files = [...generated, ...migrations.files, ...env.files]
  const baseAfter = nextBase({ ...last, moves }, fresh, generated, origins)
  const pending = pendingOf(project, to, baseAfter, migrations, files)
  const { translated, untranslated } = ownTables(project, from.database, to.database, next)
  const notes = [
    ...baseNotes(project),
    ...untranslated.map((sentence) => `not in the new database: ${sentence}`),
    ...(translated.length > 0
      ? [
          `your tables ${translated.join(', ')}: db:generate writes what their migrations for ${to.database} lack${manifest.migrated[to.database] > 0 ? ', and drops what they no longer define' : ''}`,
        ]
      : []),
    ...commentNotes(generated),
    ...removalNotes(from, to, tree, last.files, fresh),
    ...outOfServiceNotes(tree, base.files, next, generated),
    ...unexportedNotes(tree, last.files, fresh),
    ...generated.flatMap(({ notes = [] }) => notes),
    ...migrations.notes,
    ...env.notes,
    ...profileNotes(manifest, to, home('docs/switching.md')),
  ]
  const isEmpty =
    pending.changes.length === 0 &&
    given.base !== undefined &&
    isSameAnswers(from, to) &&
    isSameBase(given.base, pending.next.base)
  const release = releaseSince(manifest)
  const addition = additionText(from, to, tree, last.files, fresh, home)
  return { from, to, addition, files, notes, untranslated, pending, release, isEmpty }
}

/** What becomes of files that the owner moved, edited, imports or needs. */
const PASSES: readonly Pass[] = [
  refuseLinks,
  followReleased,
  nameLostImports,
  keepImported,
  keepPackages,
  nameReleasedPaths,
]

/** @throws UserError (refused) if the update would write through a symbolic link */
function refuseLinks(files: readonly UpdateFile[]): readonly UpdateFile[] {
  for (const { path, base, disk, next } of files)
    if (next !== undefined && next !== base) refuseBelowLink(path, disk)
  return files
}

/**
 * A new file that cannot be written would be missing, and the next update would take it for deleted by the owner.
 * @throws UserError (refused)
 */
function refuseInTheWay(files: readonly UpdateFile[]): readonly UpdateFile[] {
  for (const { path, base, disk, next } of files)
    if (disk.kind === 'other' && base === undefined && next !== undefined)
      throw refused(
        `The update adds ${path}, which is ${disk.what}. Rename that, then run the command again.`,
      )
  return files
}

function pendingOf(
  project: Project,
  to: Answers,
  next: Base,
  { history, migrated, addOnTables }: PlannedMigrations,
  files: readonly UpdateFile[],
): Pending {
  const first = firstManifest(to)
  const { generator, since = generator === first.generator ? undefined : generator } = project.manifest
  return {
    state: 'applying',
    changes: [...files.flatMap(changeOf), ...watchedJournal(project, to, files)],
    conflicts: files.flatMap(({ path, decision }) => (decision.action === 'conflict' ? [path] : [])),
    previous: project,
    next: { manifest: { ...first, since, history, migrated, addOnTables }, base: next },
  }
}

/** The change of one file, if its decision changes it. */
export function changeOf({ path, disk, restyled = disk, decision: { action, text } }: UpdateFile): Change[] {
  const before = disk.kind === 'text' ? { bytes: disk.bytes, mode: disk.mode } : null
  if (action === 'delete') return [{ path, before, after: null }]
  // Without a text, the owner may delete it: --abort has to restore it.
  if (action === 'conflict' && text === undefined) return [{ path, before, after: before }]
  if (text === undefined) return []
  return [{ path, before, after: { bytes: encodeAs(before ? disk : restyled, text), mode: before?.mode } }]
}

/** What a switch of the profile means for users. */
function profileNotes({ history }: Manifest, { profile }: Answers, docs: string): string[] {
  const last = history.findLast(hasUsers)
  return profile && last && accountsIn(last).profile !== profile
    ? [`users and passwords stay; all sessions end, and emailed links and codes are invalid: ${docs}`]
    : []
}

function baseNotes({ base }: Project): string[] {
  const missing =
    '.authsmith/base.json is missing, so edits cannot be told from earlier generated text: each file that differs from ' +
    'its new text becomes a conflict, deleted files come back, and files that are no longer generated stay'
  return base ? [] : [missing]
}
