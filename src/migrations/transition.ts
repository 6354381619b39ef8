import { UserError } from '../errors.ts'
import { type Json, sameJson } from '../json.ts'
import { append } from './append.ts'
import { type DataRule, dataRules, type ExistingUsers } from './data-rules.ts'
import { type Files, journalPath, readFolder, type Snapshot } from './folder.ts'
import { notesOf } from './notes.ts'
import { physicalOf } from './physical.ts'
import { schemaStatements } from './schema-sql.ts'
import { mergeSnapshots } from './snapshot.ts'
import type { Dialect } from './sql-tokens.ts'
import type { State } from './state.ts'

export interface TransitionInput {
  readonly dialect: Dialect
  /** The project's files by their path: of them, those of this database's migrations. */
  readonly files: Files
  /** All files as rendered last time. */
  readonly base: Files
  /** All files as rendered now. */
  readonly next: Files
  /** The states that the project has gone through, the present one last. */
  readonly history: readonly State[]
  /** The present state too: of a newer create-authsmith. */
  readonly to: State
  /** What users are who become part of mode complete for the first time. */
  readonly existingUsers: ExistingUsers
  /** Tables whose schema file stays on disk although it is not rendered any more. */
  readonly keptTables: ReadonlySet<string>
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface Transition {
  /** New files and the new journal, by their path in the project; empty where there is nothing to do. */
  readonly files: Files
  /** What the owner should know, a line each. */
  readonly notes: readonly string[]
}

/**
 * The migration that leads from what a folder of migrations makes to the tables of another state. It only adds: tables and
 * columns that the new state has not stay in the database, with their rows, for the way back.
 * @throws UserError (refused) where the folder is damaged, or a table of the owner's is in the way
 */
export function transition(input: TransitionInput): Transition {
  const { dialect, base, next, to, keptTables } = input
  const folder = readFolder(input.files, dialect)
  const fresh = readFolder(next, dialect)
  const snapshots = folder.migrations.map(({ snapshot }) => snapshot)
  const before = snapshots.at(-1) as Snapshot
  const [{ sql: init, snapshot: ofNext }] = fresh.migrations
  if (before.version !== ofNext.version) {
    throw new UserError(
      'refused',
      `migrations/${dialect}/ is of version ${before.version} of Drizzle Kit's format, not ${ofNext.version}: run "npx drizzle-kit up" first`,
    )
  }
  const ofBase = base.has(journalPath(dialect)) ? readFolder(base, dialect).migrations[0].snapshot : undefined
  const after = mergeSnapshots({ folder: snapshots, base: ofBase, next: ofNext, keptTables })
  const physical = physicalOf(folder, dialect)
  const schema = schemaStatements({ dialect, init, before, after, physical })
  const rules = dataRules({ ...input, physical })
  if (schema.length + rules.length === 0 && isSame(before, after)) return { files: new Map(), notes: [] }
  const sql = [...schema.map(({ text }) => text), ...rules.flatMap(explained)]
  return {
    files: append(folder, { state: to, sql, snapshot: after, now: input.now }),
    notes: notesOf(input, { snapshots, after, schema }),
  }
}

/** The statements of a rule, under a comment that says what they are for. */
const explained = ({ why, sql: [first = '', ...others] }: DataRule): string[] => [
  `-- ${why}\n${first}`,
  ...others,
]

function isSame(
  { id: _a, prevId: _b, ...one }: Snapshot,
  { id: _c, prevId: _d, ...other }: Snapshot,
): boolean {
  return sameJson(one as Json, other as Json)
}
