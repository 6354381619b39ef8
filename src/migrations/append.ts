import { UserError } from '../errors.ts'
import { type Files, type Folder, journalPath, prefixOf, type Snapshot, snapshotPath } from './folder.ts'
import type { State } from './state.ts'
import { BREAKPOINT } from './statements.ts'

export interface NewMigration {
  readonly state: State
  readonly sql: readonly string[]
  readonly snapshot: Snapshot
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * The files that a further migration adds to a folder, and the journal with its entry: nothing that is there already changes.
 * @throws UserError (refused) where no name for it would come after the others
 */
export function append({ dialect, journal }: Folder, { state, sql, snapshot, now }: NewMigration): Files {
  const { entries } = journal
  const idx = Math.max(...entries.map((entry) => entry.idx)) + 1
  // Later than all others: Drizzle's own migrator would skip a migration that seems older than the last applied one.
  const when = Math.max(now, ...entries.map((entry) => entry.when + 1))
  const tag = `${newPrefix(entries, idx, when)}_${state}`
  const version = entries.at(-1)?.version
  const entry = { idx, version, when, tag, breakpoints: true }
  return new Map([
    [`migrations/${dialect}/${tag}.sql`, sqlText(sql)],
    [snapshotPath(dialect, tag), json(snapshot)],
    [journalPath(dialect), json({ ...journal, entries: [...entries, entry] })],
  ])
}

/** Numbered as the last one is: Drizzle Kit takes the snapshot for the newest whose file comes last by name. */
function newPrefix(entries: readonly { readonly tag: string }[], idx: number, when: number): string {
  const last = prefixOf(entries.at(-1)?.tag ?? '')
  const prefix = /^\d{14}$/.test(last)
    ? new Date(when).toISOString().replace(/\D/g, '').slice(0, 14)
    : /^\d{10}$/.test(last)
      ? String(Math.floor(when / 1000))
      : String(idx).padStart(4, '0')
  if (entries.every(({ tag }) => prefixOf(tag) < prefix)) return prefix
  throw new UserError(
    'refused',
    `the migrations are not numbered in the order of their journal (the last is ${last}): Drizzle Kit would take another one for the newest`,
  )
}

const sqlText = (statements: readonly string[]): string =>
  statements.length > 0
    ? `${statements.join(`\n${BREAKPOINT}\n`)}\n`
    : '-- The code has fewer tables now; those of the database stay.\n'

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
