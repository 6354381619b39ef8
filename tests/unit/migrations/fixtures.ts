import type { Answers } from '../../../src/answers/answers.ts'
import { accountsIn, type State } from '../../../src/answers/variant.ts'
import { planOf } from '../../../src/blueprints/layers.ts'
import { RECOGNIZED } from '../../../src/migrations/drizzle-kit/append.ts'
import { readFolder } from '../../../src/migrations/drizzle-kit/folder.ts'
import type { Dialect } from '../../../src/migrations/sql/tokens.ts'
import { type TransitionInput, transition } from '../../../src/migrations/transition.ts'
import type { Files } from '../../../src/system/file-system.ts'
import { renderOnce } from '../../support/blueprints.ts'

export const DIALECTS = ['sqlite', 'postgres'] as const

export interface SnapshotFile {
  id: string
  prevId: string
  version: string
  tables: Record<string, { name: string; columns: Record<string, Column>; indexes: Record<string, unknown> }>
}

export interface Column {
  name: string
  type: string
  notNull: boolean
  default?: unknown
}

export interface JournalFile {
  dialect: string
  entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[]
}

/** All files of a new project in this state, from the real blueprints. */
export function fresh(state: State, database: Dialect): ReadonlyMap<string, string> {
  const answers: Answers = {
    name: 'my-api',
    ...accountsIn(state),
    database,
    addOns: [],
    packageManager: 'npm',
  }
  return renderOnce(planOf(answers))
}

/** A switch of an untouched project, with the options in `change`. */
export const switched = (
  dialect: Dialect,
  history: readonly State[],
  to: State,
  {
    files = fresh(history[0] as State, dialect),
    ...change
  }: Partial<TransitionInput> & { files?: Files } = {},
) => {
  const { folder: _, ...result } = transition({
    dialect,
    folder: readFolder(files, dialect),
    base: fresh(history.at(-1) as State, dialect),
    next: fresh(to, dialect),
    history,
    to,
    existingUsers: 'unverified',
    ever: [],
    keptTables: new Set(),
    fresh: (state) => fresh(state, dialect),
    now: 1_800_000_000_000,
    ...change,
  })
  return result
}

/** An untouched project that has gone through these states. */
export function project(dialect: Dialect, ...states: readonly State[]): Map<string, string> {
  const files = new Map(fresh(states[0] as State, dialect))
  states.slice(1).forEach((to, index) => {
    for (const [path, text] of switched(dialect, states.slice(0, index + 1), to, { files }).files)
      files.set(path, text)
  })
  return files
}

export const journalPath = (dialect: Dialect) => `migrations/${dialect}/meta/_journal.json`
export const journalOf = (files: ReadonlyMap<string, string>, dialect: Dialect): JournalFile =>
  JSON.parse(files.get(journalPath(dialect)) ?? '')

/** The snapshot whose number is `index`, or the last one. */
export function snapshotOf(files: ReadonlyMap<string, string>, dialect: Dialect, index = -1): SnapshotFile {
  const tag = journalOf(files, dialect).entries.at(index)?.tag.split('_')[0]
  return JSON.parse(files.get(`migrations/${dialect}/meta/${tag}_snapshot.json`) ?? '')
}

/** The entries of the last switch: for its tables, indexes, constraints and rows, as far as it has them. */
export function lastSwitch(files: ReadonlyMap<string, string>, dialect: Dialect): JournalFile['entries'] {
  const { entries } = journalOf(files, dialect)
  const parts = entries.map(({ tag }) => /^\d+_(.*?)(?:-(indexes|constraints|rows))?$/.exec(tag) ?? [])
  const order = parts.map(([, , kind = '']) => ['', 'indexes', 'constraints', 'rows'].indexOf(kind))
  let start = entries.length - 1
  const isBefore = (one = 0, other = 0) => one < other || (one === 3 && other === 3)
  while (parts[start - 1]?.[1] === parts[start]?.[1] && isBefore(order[start - 1], order[start])) start -= 1
  return entries.slice(start)
}

/** The SQL of the last switch. */
export const sqlOf = (files: ReadonlyMap<string, string>, dialect: Dialect): string =>
  lastSwitch(files, dialect)
    .map(({ tag }) => (files.get(`migrations/${dialect}/${tag}.sql`) ?? '').replace(RECOGNIZED, ''))
    .join('--> statement-breakpoint\n')

/** The files with one JSON file changed. */
export function withJson<Value>(
  files: ReadonlyMap<string, string>,
  path: string,
  change: (value: Value) => void,
): Map<string, string> {
  const value = JSON.parse(files.get(path) ?? '')
  change(value)
  return new Map([...files, [path, JSON.stringify(value)]])
}

/** Adds a migration of the owner to the files: its SQL, and its change to the last snapshot. */
export function withMigration(
  files: ReadonlyMap<string, string>,
  dialect: Dialect,
  sql: string,
  change: (snapshot: SnapshotFile) => void,
): Map<string, string> {
  const { entries, ...journal } = journalOf(files, dialect)
  const prefix = String(entries.length).padStart(4, '0')
  const last = snapshotOf(files, dialect)
  const snapshot = { ...last, id: prefix, prevId: last.id }
  change(snapshot)
  const entry = { ...entries[0], idx: entries.length, when: 1_790_000_000_000, tag: `${prefix}_own` }
  return new Map([
    ...files,
    [`migrations/${dialect}/${prefix}_own.sql`, sql],
    [`migrations/${dialect}/meta/${prefix}_snapshot.json`, JSON.stringify(snapshot)],
    [journalPath(dialect), JSON.stringify({ ...journal, entries: [...entries, entry] })],
  ])
}
