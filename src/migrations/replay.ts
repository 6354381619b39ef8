import { UserError } from '../errors.ts'
import { type Files, journalPath } from './folder.ts'
import type { State } from './state.ts'
import { type Transition, type TransitionInput, transition } from './transition.ts'

export interface ReplayInput
  extends Pick<TransitionInput, 'dialect' | 'files' | 'existingUsers' | 'keptTables' | 'now'> {
  /** All states that the project has gone through, the one to come last. */
  readonly history: readonly State[]
  /** How many of them this folder has gone through. */
  readonly migrated: number
  /** All files of a state, as they are in a new project with this database. */
  readonly fresh: (state: State) => Files
}

/**
 * Begins the migrations of another database, or brings them up to date: by the states that the project went through, since
 * whoever changes the database has tables of earlier states to copy.
 * @throws UserError (refused) where the folder is damaged, or the owner's
 */
export function replay(input: ReplayInput): Transition {
  const { dialect, files, history, migrated, fresh } = input
  const added = new Map<string, string>()
  const notes: string[] = []
  if (migrated === 0) {
    if (files.has(journalPath(dialect))) {
      throw new UserError(
        'refused',
        `migrations/${dialect}/ is there already, and is none of create-authsmith's: move it away`,
      )
    }
    const first = history[0]
    if (first === undefined) throw new Error('A project has gone through one state at least')
    for (const [path, text] of fresh(first))
      if (path.startsWith(`migrations/${dialect}/`)) added.set(path, text)
  }
  const follow = (past: readonly State[], to: State) => {
    const step = transition({
      ...input,
      files: new Map([...files, ...added]),
      base: fresh(past.at(-1) as State),
      next: fresh(to),
      history: past,
      to,
    })
    for (const [path, text] of step.files) added.set(path, text)
    notes.push(...step.notes)
  }
  history.forEach((state, at) => {
    if (at >= Math.max(migrated, 1)) follow(history.slice(0, at), state)
  })
  // What a newer create-authsmith has in a state that the folder has gone through already.
  follow(history, history.at(-1) as State)
  return { files: added, notes: [...new Set(notes)] }
}
