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
  const { dialect, files, history, migrated, fresh } = input
  const added = new Map(migrated === 0 ? firstMigration(input) : [])
  const left: string[] = []
  const notes: string[] = []
  const lastJoin = history.findLastIndex((state, at) => isJoin(history.slice(0, at), state))
  let folder = readFolder(migrated === 0 ? added : files, dialect)
  const follow = (past: readonly State[], to: State) => {
    const base = fresh(past.at(-1) as State)
    // What an earlier switch said is unknown, and verifies addresses that may belong to someone else.
    const isEarlier = past.length < lastJoin && isJoin(past, to)
    const isOther = isEarlier && input.existingUsers !== 'unverified'
    const followed = transition({
      ...input,
      ...(isEarlier && { existingUsers: 'unverified' }),
      folder,
      base,
      isBehind: true,
      next: fresh(to),
      history: past,
      to,
    })
    folder = followed.folder
    for (const [path, text] of followed.files) added.set(path, text)
    left.push(...followed.left)
    // A new database has no rows.
    if (migrated > 0)
      notes.push(
        ...followed.notes.map((note) => (isOther && note === joined('unverified') ? JOINED_EARLIER : note)),
      )
  }
  history.forEach((state, at) => {
    if (at >= Math.max(migrated, 1)) follow(history.slice(0, at), state)
  })
  // Adds what a newer create-authsmith has in a state that the folder already has.
  follow(history, history.at(-1) as State)
  const { tables } = (folder.migrations.at(-1) ?? folder.migrations[0]).snapshot
  const used = Object.values(tables).map(({ name }) => name)
  const isLeft = (table: string) => !used.includes(table)
  return { files: added, left: [...new Set(left)].filter(isLeft), notes: [...new Set(notes)] }
}

/** The migrations folder of a new project in the first state. */
function firstMigration({ dialect, files, history, fresh }: ReplayInput): Files {
  if (files.has(journalPath(dialect))) {
    throw new UserError(
      'refused',
      `migrations/${dialect}/ already exists and was not written by create-authsmith. Move it away.`,
    )
  }
  const first = history[0]
  if (first === undefined) throw new Error('A project has at least one state')
  return new Map([...fresh(first)].filter(([path]) => path.startsWith(`migrations/${dialect}/`)))
}
