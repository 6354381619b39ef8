import { isDeepStrictEqual } from 'node:util'
import type { AddOn } from '../answers/add-ons.ts'
import { definitions } from '../answers/definitions.ts'
import { hasUsers, type State } from '../answers/variant.ts'
import { refused } from '../system/errors.ts'
import type { Files } from '../system/file-system.ts'
import { append } from './drizzle-kit/append.ts'
import { type Folder, lastSnapshot, readFolder } from './drizzle-kit/folder.ts'
import { mergeSnapshots } from './drizzle-kit/snapshot.ts'
import { stateIn, withGenerated, without } from './generated.ts'
import { emptiedNotes, leftTables, notesOf } from './notes.ts'
import { partsOf, rowParts } from './rows/locks.ts'
import { type ExistingUsers, explained, rule } from './rows/rule.ts'
import { rowRules, tableRules } from './rows/rules.ts'
import { nameOf, refuseWithoutUsers } from './schema/collisions.ts'
import { type DatabaseSchema, databaseSchemaOf } from './schema/database-schema.ts'
import { schemaStatements } from './schema/schema-sql.ts'
import { BREAKPOINT } from './sql/statements.ts'
import type { Dialect } from './sql/tokens.ts'

export interface TransitionInput {
  readonly dialect: Dialect
  /** This database's migrations in the project. */
  readonly folder: Folder
  /** All files as rendered last time. */
  readonly base: Files
  /** Whether an older version may have written the folder: it has not followed the project since another database. */
  readonly isBehind?: boolean
  /** All files as rendered now. */
  readonly next: Files
  /** The states of the project so far, the current one last. */
  readonly history: readonly State[]
  /** The new state. May be the current one, if a newer create-authsmith or an add-on changes it. */
  readonly to: State
  /** The add-on whose tables are added, and the add-ons that are taken out; neither in a switch. */
  readonly addOn?: AddOn
  readonly removed?: readonly AddOn[]
  /** The add-ons whose tables the project has had so far. */
  readonly ever: readonly AddOn[]
  /** Whether users who enter mode complete for the first time are verified. */
  readonly existingUsers: ExistingUsers
  /** Tables whose schema file stays on disk although it is no longer rendered. */
  readonly keptTables: ReadonlySet<string>
  /** All files of a new project in a state, with this database and those of the add-ons that the state allows. */
  readonly fresh: (state: State, addOns: readonly AddOn[]) => Files
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface Transition {
  /** The migrations after the switch. */
  readonly folder: Folder
  /** New files and the new journal, by their path in the project; empty if there is nothing to do. */
  readonly files: Files
  /** The tables that the code no longer uses. */
  readonly left: readonly string[]
  /** Notes for the owner about rows, one line each. */
  readonly notes: readonly string[]
}

/**
 * Creates the migrations from the current schema to the tables of another state: for tables, for indexes and constraints
 * of existing tables on PostgreSQL, and for rows. They only add: tables and columns that the new state does not use stay
 * in the database, with their rows, for a switch back.
 * @throws UserError (refused) if the folder is damaged, or the owner has a table or column with the name of a new one
 */
export function transition(input: TransitionInput): Transition {
  const { dialect, folder, history, to, addOn, removed = [], ever, keptTables } = input
  const snapshots = folder.migrations.map(({ snapshot }) => snapshot)
  const before = lastSnapshot(folder)
  const goal = readFolder(input.next, dialect)
  const next = lastSnapshot(goal)
  if (before.version !== next.version) {
    const isNewer = Number(before.version) > Number(next.version)
    const fix = isNewer ? 'Update create-authsmith' : 'Run `npx drizzle-kit up` first'
    throw refused(
      `migrations/${dialect}/ has version ${before.version} of Drizzle Kit's format, not ${next.version}. ${fix}.`,
    )
  }
  const base = readFolder(input.base, dialect)
  const ofBase = lastSnapshot(base)
  const existing = databaseSchemaOf(folder)
  const after = mergeSnapshots({
    folder: snapshots,
    base: input.isBehind ? withGenerated(ofBase, folder, ever) : ofBase,
    next,
    keptTables,
  })
  const isRenamed = existing.isRenamed('users')
  const schema = schemaStatements({
    dialect,
    init: goal.migrations.map(({ sql }) => sql).join(`\n${BREAKPOINT}\n`),
    before,
    after,
    existing,
    generated: databaseSchemaOf(base),
    older: () => olderSchemas(input),
    what: addOn ? `the add-on ${addOn}` : nameOf(to),
  })
  const needsUsers = hasUsers(to) && history.some(hasUsers) && (to !== history.at(-1) || schema.length > 0)
  if (needsUsers && (isRenamed || !existing.hasTable('users')))
    refuseWithoutUsers(dialect, history.at(-1), to)
  const ofTables = tableRules({ ...input, existing }).flatMap(explained)
  const { tables, indexes, constraints } = partsOf([...schema.map(({ text }) => text), ...ofTables], dialect)
  // What was away, the second factor of a thief with it, must not come back.
  const isSignIn = addOn !== undefined && definitions[addOn]?.isSignIn
  const emptied = isSignIn ? leftTables(after, before).filter((table) => existing.hasTable(table)) : []
  const rules = emptied.map((table) => rule('They may be those of a thief.', `DELETE FROM ${table};`))
  const rows = rowParts([...rowRules({ ...input, existing }), ...rules], dialect)
  const isOnlyRemoval = removed.length > 0 && to === history.at(-1)
  const name = addOn ?? (isOnlyRemoval ? without(removed) : to)
  const parts = [
    { name, sql: tables, ...(addOn && { comment: `The tables of ${addOn} are in the database already.` }) },
    { name: `${name}-indexes`, sql: indexes },
    { name: `${name}-constraints`, sql: constraints },
    // A database that ran a switch that was taken back has its tables already, but its rows have changed since.
    ...rows.map((sql) => ({ name: `${addOn ?? to}-rows`, sql, isRepeatable: true })),
  ]
  const needed = parts.filter(({ sql }) => sql.length > 0)
  if (needed.length === 0 && isDeepStrictEqual(before, after))
    return { folder, files: new Map(), left: [], notes: [] }
  let added = { folder, files: new Map() as Files }
  for (const part of needed.length > 0 ? needed : parts.slice(0, 1)) {
    const { folder: longer, files } = append(added.folder, { ...part, snapshot: after, now: input.now })
    added = { folder: longer, files: new Map([...added.files, ...files]) }
  }
  const notes = [...notesOf({ ...input, snapshots, schema }), ...emptiedNotes(emptied)]
  return { ...added, left: leftTables(before, after), notes }
}

/**
 * The schemas that the generator wrote for the project before the current one: what else is in its database is the
 * owner's.
 */
function olderSchemas({ dialect, folder, history, ever, fresh }: TransitionInput): DatabaseSchema[] {
  // A migration that `--forget` left is in the folder, but its state is not in the history.
  const states = new Set([
    ...(ever.length > 0 ? history : history.slice(0, -1)),
    ...folder.migrations.flatMap((each) => stateIn(each) ?? []),
  ])
  return [...states].map((state) => databaseSchemaOf(readFolder(fresh(state, ever), dialect)))
}
