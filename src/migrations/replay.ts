import { type AddOn, isAllowed, withTables } from '../answers/add-ons.ts'
import { accountsIn, type State } from '../answers/variant.ts'
import { refused } from '../system/errors.ts'
import type { Files } from '../system/file-system.ts'
import { journalPath, lastSnapshot, readFolder, type Snapshot } from './drizzle-kit/folder.ts'
import { isJoin, JOINED_EARLIER, joined } from './notes.ts'
import { type Transition, type TransitionInput, transition } from './transition.ts'

export interface ReplayInput
  extends Pick<TransitionInput, 'dialect' | 'existingUsers' | 'ever' | 'keptTables' | 'fresh' | 'now'> {
  /** The project's files in the folder, by their path in the project. */
  readonly files: Files
  /** All states of the project, first to last. The last one is the new state. */
  readonly history: readonly State[]
  /** How many of them this folder has migrations for. */
  readonly migrated: number
  /** The add-ons with tables that the project has from now on. */
  readonly wanted: readonly AddOn[]
  /** Whether the schema has the tables of an add-on. */
  readonly hasTablesOf: (addOn: AddOn, snapshot: Snapshot) => boolean
}

/**
 * Creates the migrations of another database, or brings them up to date. They follow every state of the project, so
 * that the tables of earlier states and of removed add-ons exist and their rows can be copied.
 * @throws UserError (refused) if the folder is damaged, or was written by the owner
 */
export function replay(input: ReplayInput): Omit<Transition, 'folder'> {
  const { dialect, files, history, migrated, fresh, existingUsers, ever, wanted, hasTablesOf } = input
  const added = new Map(migrated === 0 ? firstMigration(input) : [])
  const left = new Set<string>()
  const notes = new Set<string>()
  const lastJoin = history.findLastIndex((state, at) => isJoin(history.slice(0, at), state))
  let folder = readFolder(migrated === 0 ? added : files, dialect)
  const all = withTables([...ever, ...wanted])
  const awake = () => all.filter((addOn) => hasTablesOf(addOn, lastSnapshot(folder)))

  function follow(
    past: readonly State[],
    to: State,
    change: Partial<Pick<TransitionInput, 'addOn' | 'removed'>> = {},
    isEarlier = false,
  ) {
    const current = past.at(-1) as State
    const [had, { addOn, removed = [] }] = [awake(), change]
    const has = [...had.filter((each) => !removed.includes(each)), ...(addOn ? [addOn] : [])]
    const followed = transition({
      ...input,
      // What an earlier switch said is unknown, and "verified" could verify addresses that belong to someone else.
      existingUsers: isEarlier ? 'unverified' : existingUsers,
      folder,
      base: fresh(current, had),
      isBehind: true,
      next: fresh(to, has),
      history: past,
      to,
      ...change,
    })
    folder = followed.folder
    for (const [path, text] of followed.files) added.set(path, text)
    for (const table of followed.left) left.add(table)
    const isOther = isEarlier && existingUsers !== 'unverified'
    for (const note of followed.notes)
      notes.add(isOther && note === joined('unverified') ? JOINED_EARLIER : note)
  }

  /** The tables of an add-on refer to those of a state that allows it, so they come after the last one. */
  function addMissing(at: number) {
    const past = history.slice(0, at + 1)
    for (const addOn of all) {
      const lastAllowing = history.findLastIndex((state) => isAllowed(addOn, accountsIn(state)))
      const isMissing = folder.migrations.every(({ snapshot }) => !hasTablesOf(addOn, snapshot))
      if (isMissing && lastAllowing <= at) follow(past, past.at(-1) as State, { addOn })
    }
  }

  const first = Math.max(migrated, 1)
  addMissing(first - 1)
  for (const at of [...history.keys()].slice(first)) {
    const [past, to] = [history.slice(0, at), history[at] as State]
    follow(past, to, {}, at < lastJoin && isJoin(past, to))
    addMissing(at)
  }
  const last = history.at(-1) as State
  // Adds what a newer create-authsmith has in a state that the folder already has.
  follow(history, last)
  const removed = awake().filter((addOn) => !wanted.includes(addOn))
  if (removed.length > 0) follow(history, last, { removed })
  for (const addOn of wanted.filter((each) => !awake().includes(each))) follow(history, last, { addOn })

  for (const { name } of Object.values(lastSnapshot(folder).tables)) left.delete(name)
  // A new database has no rows.
  return { files: added, left: [...left], notes: migrated > 0 ? [...notes] : [] }
}

/** The migrations folder of a new project in the first state. */
function firstMigration({ dialect, files, history, fresh }: ReplayInput): Files {
  if (files.has(journalPath(dialect)))
    throw refused(
      `migrations/${dialect}/ already exists and was not written by create-authsmith. Move it away.`,
    )
  return new Map(
    [...fresh(history[0] as State, [])].filter(([path]) => path.startsWith(`migrations/${dialect}/`)),
  )
}
