import { type AddOn, isAllowed, sortedAddOns, withTables } from '../answers/add-ons.ts'
import type { Answers } from '../answers/answers.ts'
import { accountsIn, STATES, type State, stateOf } from '../answers/variant.ts'
import { planOf } from '../blueprints/layers.ts'
import { render } from '../blueprints/render.ts'
import type { Manifest, Project } from '../project/manifest.ts'
import { schemaFiles, tablesIn } from '../project/schema-files.ts'
import { COMMAND } from '../system/command.ts'
import type { Files } from '../system/file-system.ts'
import type { System } from '../system/system.ts'
import { journalPath, readFolder } from './drizzle-kit/folder.ts'
import { migrationsIn } from './drizzle-kit/on-disk.ts'
import { dropNotes, leftNotes, unlistedNotes, waitingNotes } from './notes.ts'
import { addOnTables, projectFiles } from './project-files.ts'
import { replay } from './replay.ts'
import type { ExistingUsers } from './rows/rule.ts'
import { type TransitionInput, transition } from './transition.ts'

export interface SwitchedMigrations extends Pick<Manifest, 'history' | 'migrated' | 'addOnTables'> {
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
  const { project, to, existingUsers } = options
  const { answers: from, history, migrated, addOnTables: ever = [] } = project.manifest
  const dialect = to.database
  const state = stateOf(to)
  const isNewState = state !== stateOf(from)
  const isSameDatabase = dialect === from.database
  const files = migrationsIn(project.tree, dialect)
  const fresh = freshFiles(system, to)
  const [present, wanted] = [withTables(from.addOns), withTables(to.addOns)]
  const shared = { dialect, existingUsers, keptTables: keptTables(options), ever, fresh, now: system.now() }
  const followed = (isStep: boolean) => (isStep ? [...history, state] : history)
  const added = isSameDatabase
    ? transitions({
        ...shared,
        folder: readFolder(files, dialect),
        base: project.base?.files ?? fresh(stateOf(from), from.addOns),
        history,
        to: state,
        present,
        wanted,
      })
    : {
        ...replay({
          ...shared,
          files,
          history: followed(isNewState),
          migrated: migrated[dialect],
          wanted,
          hasTablesOf: (addOn, { tables }) =>
            Object.keys(tablesOf(system, to, addOn)).some((key) => Object.hasOwn(tables, key)),
        }),
        isStep: false,
      }
  // New tables of a newer generator count as a step, which the other database's folder has to follow later.
  const states = followed(isNewState || added.isStep)
  const waiting = [...unlistedNotes(files, journalPath(dialect)), ...waitingNotes(stateOf(from), state)]
  const copying = isSameDatabase ? [] : [isNewState ? TWO_STEPS : COPY]
  const all = withTables([...ever, ...wanted])
  const asleep = present.filter((addOn) => !wanted.includes(addOn))
  const dropping = dropNotes(asleep.flatMap((addOn) => Object.values(tablesOf(system, to, addOn))))
  return {
    files: added.files,
    notes: [...waiting, ...leftNotes(added.left), ...dropping, ...added.notes, ...copying],
    history: states,
    migrated: { ...migrated, [dialect]: states.length },
    addOnTables: all.length > 0 ? all : undefined,
  }
}

interface Transitions extends Omit<TransitionInput, 'next'> {
  /** The add-ons with tables that the project has, and will have. */
  readonly present: readonly AddOn[]
  readonly wanted: readonly AddOn[]
}

/**
 * The migrations in the same database: one of the state, then one without statements for the add-ons that go, then one
 * for each that comes.
 * @returns the added files, and whether the state has new tables
 */
function transitions(input: Transitions) {
  const { history, to, fresh, present, wanted } = input
  const allowed = present.filter((addOn) => isAllowed(addOn, accountsIn(to)))
  const stays = allowed.filter((addOn) => wanted.includes(addOn))
  const removed = allowed.filter((addOn) => !wanted.includes(addOn))
  const first = transition({ ...input, next: fresh(to, allowed) })
  const past = first.files.size > 0 ? [...history, to] : history
  const results = [first]
  let has = allowed
  const follow = (next: readonly AddOn[], change: Pick<TransitionInput, 'addOn' | 'removed'>) => {
    const { folder } = results.at(-1) ?? first
    const sides = { base: fresh(to, has), next: fresh(to, next) }
    results.push(transition({ ...input, ...sides, ...change, folder, history: past }))
    has = [...next]
  }
  if (removed.length > 0) follow(stays, { removed })
  for (const addOn of wanted.filter((each) => !present.includes(each))) follow([...has, addOn], { addOn })
  return {
    files: new Map(results.flatMap(({ files }) => [...files])),
    left: results.flatMap(({ left }) => left),
    notes: results.flatMap(({ notes }) => notes),
    isStep: first.files.size > 0,
  }
}

/** All files of a new project in a state, with some of the add-ons that the state allows. Renders each once. */
function freshFiles({ fs, blueprints }: System, to: Answers): TransitionInput['fresh'] {
  const known = new Map<string, Files>()
  return (state, addOns) => {
    const answers = answersIn(state, to, addOns)
    const key = [state, ...answers.addOns].join()
    const files = known.get(key) ?? projectFiles(fs, blueprints, planOf(answers))
    known.set(key, files)
    return files
  }
}

/** The tables of an add-on, by Drizzle Kit's keys. */
function tablesOf({ fs, blueprints }: System, to: Answers, addOn: AddOn) {
  const state = STATES.find((each) => isAllowed(addOn, accountsIn(each))) ?? stateOf(to)
  const rendered = render(fs, blueprints, planOf(answersIn(state, to, [addOn])))
  return addOnTables(rendered, addOn, to.database)
}

/**
 * The tables of schema files that stay on disk but are not generated: the owner's files, edited or renamed ones, and
 * those that an earlier switch left. Drizzle Kit finds their tables.
 */
function keptTables({ project, next, deleted }: MigrationSwitch): ReadonlySet<string> {
  const kept = [...schemaFiles(project.tree)].filter(([path]) => !next.has(path) && !deleted.has(path))
  return new Set(kept.flatMap(([, text]) => tablesIn(text)))
}

const COPY_DATA = `${COMMAND} copy-data --from <old database> --to <new database>`

const COPY = `the rows are still in the old database; to copy them, stop the service and run: ${COPY_DATA}`

/** In an empty database, the migration that moves rows from the tables of one state to those of another moves nothing. */
const TWO_STEPS =
  'copy-data only copies rows between databases of the same mode and profile; to keep rows, undo this update with ' +
  'regenerate --abort before you commit it, ' +
  `switch --database alone, run ${COPY_DATA}, then switch the rest`

/** The answers of a project in a state, with the given name, database and package manager. */
const answersIn = (
  state: State,
  { name, database, packageManager }: Answers,
  addOns: readonly AddOn[],
): Answers => ({
  name,
  ...accountsIn(state),
  database,
  addOns: sortedAddOns(addOns).filter((addOn) => isAllowed(addOn, accountsIn(state))),
  packageManager,
})
