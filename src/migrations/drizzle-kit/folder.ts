import * as z from 'zod'
import { refused } from '../../system/errors.ts'
import type { Files } from '../../system/file-system.ts'
import type { Dialect } from '../sql/tokens.ts'
import { damaged, readFile, textOf } from './read-file.ts'

const group = z.record(z.string(), z.unknown())

const tableSchema = z.looseObject({
  name: z.string(),
  /** PostgreSQL only; Drizzle Kit 0.31 leaves it empty for `public`. */
  schema: z.string().optional(),
  columns: z.record(z.string(), z.looseObject({ name: z.string() })),
  indexes: group,
})

const snapshotSchema = z.looseObject({
  id: z.string(),
  prevId: z.string().optional(),
  version: z.string(),
  dialect: z.string(),
  tables: z.record(z.string(), tableSchema),
})

const journalSchema = z.looseObject({
  dialect: z.string(),
  entries: z.array(
    z.looseObject({
      idx: z.int().nonnegative(),
      version: z.string(),
      when: z.int().nonnegative(),
      tag: z.string().min(1),
      breakpoints: z.boolean(),
    }),
  ),
})

/** The schema after a migration, as Drizzle Kit records it. */
export type Snapshot = z.output<typeof snapshotSchema>
export type SnapshotTable = z.output<typeof tableSchema>
export type Journal = z.output<typeof journalSchema>

export interface Migration {
  readonly tag: string
  readonly when: number
  readonly sql: string
  readonly snapshot: Snapshot
}

/** A folder of migrations in Drizzle Kit's layout. */
export interface Folder {
  readonly dialect: Dialect
  readonly journal: Journal
  /** In the order in which they run. */
  readonly migrations: readonly [Migration, ...Migration[]]
}

/** The schema after all migrations of a folder. */
export const lastSnapshot = ({ migrations }: Folder): Snapshot =>
  (migrations.at(-1) ?? migrations[0]).snapshot

/** Drizzle Kit's names of the databases. */
const DIALECTS = { sqlite: 'sqlite', postgres: 'postgresql' }

export const journalPath = (dialect: Dialect): string => `migrations/${dialect}/meta/_journal.json`

/** The path of the snapshot after a migration. Drizzle Kit names it after the number in the migration's name. */
export const snapshotPath = (dialect: Dialect, tag: string): string =>
  `migrations/${dialect}/meta/${prefixOf(tag)}_snapshot.json`

export const sqlPath = (dialect: Dialect, tag: string): string => `migrations/${dialect}/${tag}.sql`

/** The number that a migration's name starts with. */
export const prefixOf = (tag: string): string => tag.split('_')[0] ?? ''

/**
 * Reads a folder of migrations. It is untrusted input, because a merge or an editor may have damaged it.
 * @param files by their path in the project
 * @throws UserError (refused) that names the file, what is wrong with it and what to do
 */
export function readFolder(files: Files, dialect: Dialect): Folder {
  const journal = readFile(files, journalPath(dialect), journalSchema, DIALECTS[dialect])
  const migrations = journal.entries.map(({ tag, when }): Migration => {
    const snapshot = readFile(files, snapshotPath(dialect, tag), snapshotSchema, DIALECTS[dialect])
    return { tag, when, sql: textOf(files, sqlPath(dialect, tag)), snapshot }
  })
  refuseFork(dialect, migrations)
  const [first, ...others] = migrations
  if (!first) throw damaged(journalPath(dialect), 'lists no migration')
  return { dialect, journal, migrations: [first, ...others] }
}

/** @throws UserError (refused) after a merge of two branches with migrations: the last snapshot lacks tables of one */
function refuseFork(dialect: Dialect, migrations: readonly Migration[]): void {
  const tags = migrations.map(({ tag }) => tag)
  const before = migrations.map(({ snapshot }) => snapshot.prevId)
  const fork = before.findIndex((id, at) => id !== undefined && before.indexOf(id) < at)
  if (fork < 0) return
  const pathsOf = (tag: string) => [sqlPath(dialect, tag), snapshotPath(dialect, tag)]
  const kept = tags.slice(0, fork).flatMap(pathsOf)
  const gone = tags.slice(fork)
  const files = gone.flatMap(pathsOf).filter((path) => !kept.includes(path))
  throw refused(
    `${files[0]} and ${tags[before.indexOf(before[fork])]}.sql both follow the same migration, as after a merge. ` +
      `Delete the entry of ${gone.join(', ')} from ${journalPath(dialect)}, then run ` +
      `\`git rm -f ${files.join(' ')}\` and \`npm run db:generate\`, which writes it again.`,
  )
}
