import { isDeepStrictEqual } from 'node:util'
import { STATES, type State } from '../answers/variant.ts'
import { UserError } from '../system/errors.ts'
import type { Files } from '../system/file-system.ts'
import { append } from './append.ts'
import { databaseSchemaOf } from './database-schema.ts'
import { type Folder, journalPath, readFolder, type Snapshot } from './folder.ts'
import { notesOf } from './notes.ts'
import type { DataRule, ExistingUsers } from './rows/rule.ts'
import { dataRules } from './rows/rules.ts'
import { schemaStatements } from './schema-sql.ts'
import { mergeSnapshots } from './snapshot.ts'
import type { Dialect } from './sql/tokens.ts'

export interface TransitionInput {
  readonly dialect: Dialect
  /** This database's migrations in the project. */
  readonly folder: Folder
  /** All files as rendered last time. */
  readonly base: Files
  /** All files as rendered now. */
  readonly next: Files
  /** The states of the project so far, the current one last. */
  readonly history: readonly State[]
  /** The new state. May be the current one, if a newer create-authsmith changes it. */
  readonly to: State
  /** Whether users who enter mode complete for the first time are verified. */
  readonly existingUsers: ExistingUsers
  /** Tables whose schema file stays on disk although it is no longer rendered. */
  readonly keptTables: ReadonlySet<string>
  /** All files of a new project in a state, with this database. */
  readonly fresh: (state: State) => Files
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface Transition {
  /** The migrations after the switch. */
  readonly folder: Folder
  /** New files and the new journal, by their path in the project; empty if there is nothing to do. */
  readonly files: Files
  /** Notes for the owner, one line each. */
  readonly notes: readonly string[]
}

/**
 * Creates the migration from the current schema to the tables of another state. It only adds: tables and columns that
 * the new state does not use stay in the database, with their rows, for a switch back.
 * @throws UserError (refused) if the folder is damaged, or the owner has a table or column with the name of a new one
 */
export function transition(input: TransitionInput): Transition {
  const { dialect, folder, base, next, to, keptTables } = input
  const fresh = readFolder(next, dialect)
  const snapshots = folder.migrations.map(({ snapshot }) => snapshot)
  const before = snapshots.at(-1) as Snapshot
  const [{ sql: init, snapshot: ofNext }] = fresh.migrations
  if (before.version !== ofNext.version) {
    throw new UserError(
      'refused',
      `migrations/${dialect}/ has version ${before.version} of Drizzle Kit's format, not ${ofNext.version}. Run \`npx drizzle-kit up\` first.`,
    )
  }
  const ofBase = base.has(journalPath(dialect)) ? readFolder(base, dialect).migrations[0].snapshot : undefined
  const after = mergeSnapshots({ folder: snapshots, base: ofBase, next: ofNext, keptTables })
  const existing = databaseSchemaOf(folder, dialect)
  const generated = generatedSchemas(input, ofBase !== undefined)
  const schema = schemaStatements({ dialect, init, before, after, existing, generated, to })
  const rules = dataRules({ ...input, existing })
  if (schema.length + rules.length === 0 && isSame(before, after))
    return { folder, files: new Map(), notes: [] }
  const sql = [...schema.map(({ text }) => text), ...rules.flatMap(explained)]
  return {
    ...append(folder, { state: to, sql, snapshot: after, now: input.now }),
    notes: notesOf({ ...input, snapshots, after, schema }),
  }
}

/** The schemas that the generator wrote for the project so far: what else is in its database is the owner's. */
function* generatedSchemas({ dialect, folder, base, history, fresh }: TransitionInput, hasBase: boolean) {
  if (hasBase) yield databaseSchemaOf(readFolder(base, dialect), dialect)
  // A migration that `--forget` left is in the folder, but its state is not in the history.
  const written = folder.migrations.map(({ tag }) => tag.replace(/^\d+_/, ''))
  const migrated = STATES.filter((state) => written.includes(state))
  for (const state of new Set([...(hasBase ? history.slice(0, -1) : history), ...migrated]))
    yield databaseSchemaOf(readFolder(fresh(state), dialect), dialect)
}

/** The statements of a rule, preceded by its comment. */
const explained = ({ why, sql: [first = '', ...others] }: DataRule): string[] => [
  `-- ${why}\n${first}`,
  ...others,
]

function isSame(
  { id: _a, prevId: _b, ...one }: Snapshot,
  { id: _c, prevId: _d, ...other }: Snapshot,
): boolean {
  return isDeepStrictEqual(one, other)
}
