import type { State } from '../answers/variant.ts'
import { UserError } from '../system/errors.ts'
import type { Files } from '../system/file-system.ts'
import { journalPath, readFolder } from './drizzle-kit/folder.ts'
import { isJoin, JOINED_EARLIER, joined } from './notes.ts'
import { type Transition, type TransitionInput, transition } from './transition.ts'

export interface ReplayInput
  extends Pick<TransitionInput, 'dialect' | 'existingUsers' | 'keptTables' | 'fresh' | 'now'> {
  /** The project's files in the folder, by their path in the project. */
  readonly files: Files
  /** All states of the project, first to last. The last one is the new state. */
  readonly history: readonly State[]
  /** How many of them this folder has migrations for. */
  readonly migrated: number
}

/**
 * Creates the migrations of another database, or brings them up to date. They follow every state of the project, so
 * that the tables of earlier states exist and their rows can be copied.
 * @throws UserError (refused) if the folder is damaged, or was written by the owner
 */
export function replay(input: ReplayInput): Omit<Transition, 'folder'> {
  const { dialect, files, history, migrated, fresh, existingUsers } = input
  const added = new Map(migrated === 0 ? firstMigration(input) : [])
  const left = new Set<string>()
  const notes = new Set<string>()
  const lastJoin = history.findLastIndex((state, at) => isJoin(history.slice(0, at), state))
  let folder = readFolder(migrated === 0 ? added : files, dialect)
  // The last step adds what a newer create-authsmith has in a state that the folder already has.
  const steps = [...history.keys(), history.length].slice(Math.max(migrated, 1))
  for (const at of steps) {
    const past = history.slice(0, at)
    const current = past.at(-1) as State
    const to = history[at] ?? current
    // What an earlier switch said is unknown, and "verified" could verify addresses that belong to someone else.
    const isEarlier = at < lastJoin && isJoin(past, to)
    const followed = transition({
      ...input,
      existingUsers: isEarlier ? 'unverified' : existingUsers,
      folder,
      base: fresh(current),
      isBehind: true,
      next: fresh(to),
      history: past,
      to,
    })
    folder = followed.folder
    for (const [path, text] of followed.files) added.set(path, text)
    for (const table of followed.left) left.add(table)
    const isOther = isEarlier && existingUsers !== 'unverified'
    for (const note of followed.notes)
      notes.add(isOther && note === joined('unverified') ? JOINED_EARLIER : note)
  }
  const { tables } = (folder.migrations.at(-1) ?? folder.migrations[0]).snapshot
  for (const { name } of Object.values(tables)) left.delete(name)
  // A new database has no rows.
  return { files: added, left: [...left], notes: migrated > 0 ? [...notes] : [] }
}

/** The migrations folder of a new project in the first state. */
function firstMigration({ dialect, files, history, fresh }: ReplayInput): Files {
  if (files.has(journalPath(dialect))) {
    throw new UserError(
      'refused',
      `migrations/${dialect}/ already exists and was not written by create-authsmith. Move it away.`,
    )
  }
  return new Map(
    [...fresh(history[0] as State)].filter(([path]) => path.startsWith(`migrations/${dialect}/`)),
  )
}
