import type { Answers } from '../answers/answers.ts'
import { accountsIn, type State, stateOf } from '../answers/variant.ts'
import { planOf } from '../blueprints/layers.ts'
import { render } from '../blueprints/render.ts'
import type { Manifest, Project } from '../project/manifest.ts'
import { schemaFiles, tablesIn } from '../project/schema-files.ts'
import type { Files } from '../system/file-system.ts'
import type { System } from '../system/system.ts'
import { readFolder } from './drizzle-kit/folder.ts'
import { migrationsIn } from './drizzle-kit/on-disk.ts'
import { leftNotes, waitingNotes } from './notes.ts'
import { replay } from './replay.ts'
import type { ExistingUsers } from './rows/rule.ts'
import { transition } from './transition.ts'

export interface SwitchedMigrations extends Pick<Manifest, 'history' | 'migrated'> {
  /** New files and the changed journal, by path. */
  readonly files: ReadonlyMap<string, string>
  readonly notes: readonly string[]
}

export interface MigrationSwitch {
  readonly project: Project
  readonly to: Answers
  /** The files of the new state. */
  readonly next: Files
  readonly existingUsers: ExistingUsers
  /** The paths of the files that the update deletes. */
  readonly deleted: ReadonlySet<string>
}

/**
 * Plans the migrations of a switch, and the history after it.
 * @throws UserError (refused) if the migrations folder is damaged
 */
export function switchMigrations(system: System, options: MigrationSwitch): SwitchedMigrations {
  const { project, to, next, existingUsers } = options
  const { answers: from, history, migrated } = project.manifest
  const dialect = to.database
  const state = stateOf(to)
  const isNewState = state !== stateOf(from)
  const isSameDatabase = dialect === from.database
  const files = migrationsIn(project.tree, dialect)
  const fresh = (past: State) => render(system.fs, system.blueprints, planOf(answersIn(past, to)))
  const shared = { dialect, existingUsers, keptTables: keptTables(options), fresh, now: system.now() }
  const followed = (isStep: boolean) => (isStep ? [...history, state] : history)
  const added = isSameDatabase
    ? transition({
        ...shared,
        folder: readFolder(files, dialect),
        base: project.base?.files ?? fresh(stateOf(from)),
        next,
        history,
        to: state,
      })
    : replay({ ...shared, files, history: followed(isNewState), migrated: migrated[dialect] })
  // New tables of a newer generator count as a step, which the other database's folder has to follow later.
  const states = followed(isNewState || (isSameDatabase && added.files.size > 0))
  const waiting = waitingNotes(stateOf(from), state)
  const copying = isSameDatabase ? [] : [isNewState ? TWO_STEPS : COPY]
  return {
    files: added.files,
    notes: [...waiting, ...leftNotes(added.left), ...added.notes, ...copying],
    history: states,
    migrated: { ...migrated, [dialect]: states.length },
  }
}

/**
 * The tables of schema files that stay on disk but are not generated: the owner's files, edited or renamed ones, and
 * those that an earlier switch left. Drizzle Kit finds their tables.
 */
function keptTables({ project, next, deleted }: MigrationSwitch): ReadonlySet<string> {
  const kept = [...schemaFiles(project.tree)].filter(([path]) => !next.has(path) && !deleted.has(path))
  return new Set(kept.flatMap(([, text]) => tablesIn(text)))
}

const COPY_DATA = 'npx create-authsmith@latest copy-data --from <old database> --to <new database>'

const COPY = `the rows are still in the old database; to copy them, stop the service and run: ${COPY_DATA}`

/**
 * In an empty database, the migration that moves rows from the tables of one state to those of another moves nothing.
 */
const TWO_STEPS =
  'copy-data only copies rows between databases of the same mode and profile; to keep rows, undo this update with ' +
  'regenerate --abort before you commit it, ' +
  `switch --database alone, run ${COPY_DATA}, then switch the rest`

/** The answers of a project in `state`, with the given name, database and package manager. */
const answersIn = (state: State, { name, database, packageManager }: Answers): Answers => ({
  name,
  ...accountsIn(state),
  database,
  addOns: [],
  packageManager,
})
