import * as z from 'zod'
import { UserError } from '../errors.ts'
import { shorten } from '../escape.ts'
import type { Dialect } from './sql-tokens.ts'

const group = z.record(z.string(), z.unknown())

const tableSchema = z.looseObject({
  name: z.string(),
  /** Of PostgreSQL: empty for `public`. */
  schema: z.string().optional(),
  columns: z.record(z.string(), z.looseObject({ name: z.string() })),
  indexes: group,
})

const snapshotSchema = z.looseObject({
  id: z.string(),
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

/** The schema after a migration, as Drizzle Kit writes it down. */
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
  /** In the order of the journal. */
  readonly migrations: readonly [Migration, ...Migration[]]
}

/** Texts by their path in the project. */
export type Files = ReadonlyMap<string, string>

/** What Drizzle Kit calls the databases. */
const DIALECTS = { sqlite: 'sqlite', postgres: 'postgresql' }

export const journalPath = (dialect: Dialect): string => `migrations/${dialect}/meta/_journal.json`

/** Where the snapshot after a migration lies: Drizzle Kit names it by what the migration's name begins with. */
export const snapshotPath = (dialect: Dialect, tag: string): string =>
  `migrations/${dialect}/meta/${prefixOf(tag)}_snapshot.json`

export const prefixOf = (tag: string): string => tag.split('_')[0] ?? ''

/**
 * Reads a folder of migrations, as untrusted input: a merge or an editor may have left anything in it.
 * @param files by their path in the project
 * @throws UserError (refused) that names the file, what is wrong with it and what to do
 */
export function readFolder(files: Files, dialect: Dialect): Folder {
  const path = `migrations/${dialect}`
  const journal = read(files, journalPath(dialect), journalSchema, dialect)
  const [first, ...others] = journal.entries.map(({ tag, when }): Migration => {
    const snapshot = read(files, snapshotPath(dialect, tag), snapshotSchema, dialect)
    return { tag, when, sql: textOf(files, `${path}/${tag}.sql`), snapshot }
  })
  if (!first) throw refused(journalPath(dialect), 'lists no migration')
  return { dialect, journal, migrations: [first, ...others] }
}

function textOf(files: Files, path: string): string {
  const text = files.get(path)
  if (text === undefined) throw refused(path, 'is missing')
  return text
}

function read<Value extends { dialect: string }>(
  files: Files,
  path: string,
  schema: z.ZodType<Value>,
  dialect: Dialect,
): Value {
  const text = textOf(files, path)
  let parsed: unknown
  try {
    parsed = JSON.parse(text.replace(/^\u{feff}/u, ''))
  } catch {
    throw refused(path, 'is not JSON')
  }
  const result = schema.safeParse(parsed)
  if (!result.success) {
    const { path: keys, message } = result.error.issues[0] ?? { path: [], message: 'is damaged' }
    throw refused(path, `is damaged: ${shorten([...keys, message].join('.'))}`)
  }
  if (result.data.dialect !== DIALECTS[dialect]) {
    throw refused(path, `is for ${shorten(result.data.dialect)}, not for ${DIALECTS[dialect]}`)
  }
  return result.data
}

const refused = (path: string, fault: string): UserError =>
  new UserError('refused', `${shorten(path)} ${fault}; restore migrations/ from version control`)
