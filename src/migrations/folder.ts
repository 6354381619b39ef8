import * as z from 'zod'
import { UserError } from '../system/errors.ts'
import type { Files } from '../system/file-system.ts'
import { shorten } from '../system/printing.ts'
import { JsonFault, readJson } from '../system/read-json.ts'
import type { Dialect } from './sql/tokens.ts'

const group = z.record(z.string(), z.unknown())

const tableSchema = z.looseObject({
  name: z.string(),
  /** PostgreSQL only; empty for `public`. */
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
  /** In the order of the journal. */
  readonly migrations: readonly [Migration, ...Migration[]]
}

/** Drizzle Kit's names of the databases. */
const DIALECTS = { sqlite: 'sqlite', postgres: 'postgresql' }

/** The path of Drizzle Kit's journal. */
export const journalPath = (dialect: Dialect): string => `migrations/${dialect}/meta/_journal.json`

/** The path of the snapshot after a migration. Drizzle Kit names it after the number in the migration's name. */
export const snapshotPath = (dialect: Dialect, tag: string): string =>
  `migrations/${dialect}/meta/${prefixOf(tag)}_snapshot.json`

/** The number that a migration's name starts with. */
export const prefixOf = (tag: string): string => tag.split('_')[0] ?? ''

/**
 * Reads a folder of migrations. It is untrusted input, because a merge or an editor may have damaged it.
 * @param files by their path in the project
 * @throws UserError (refused) that names the file, what is wrong with it and what to do
 */
export function readFolder(files: Files, dialect: Dialect): Folder {
  if (hasLaterLayout(files, dialect))
    throw new UserError(
      'refused',
      `migrations/${dialect}/ has the layout of Drizzle Kit 1.0, to which this version of create-authsmith cannot add migrations. Restore migrations/, Drizzle 0.45 and Drizzle Kit 0.31 from version control, run the command, then upgrade again with \`drizzle-kit up\`.`,
    )
  const path = `migrations/${dialect}`
  const journal = read(files, journalPath(dialect), journalSchema, dialect)
  const [first, ...others] = journal.entries.map(({ tag, when }): Migration => {
    const snapshot = read(files, snapshotPath(dialect, tag), snapshotSchema, dialect)
    return { tag, when, sql: textOf(files, `${path}/${tag}.sql`), snapshot }
  })
  if (!first) throw refused(journalPath(dialect), 'lists no migration')
  return { dialect, journal, migrations: [first, ...others] }
}

const laterMigrations = (files: Files, dialect: Dialect) =>
  [...files].flatMap(([path, sql]) => {
    const [, folder, tag = '', time = ''] =
      /^migrations\/(\w+)\/((\d{14})_[^/]+)\/migration\.sql$/.exec(path) ?? []
    return folder === dialect ? [{ tag, when: timeOf(time), sql }] : []
  })

/** Whether `drizzle-kit up` of version 1.0 wrote the folder: it has a folder for each migration, and no journal. */
export const hasLaterLayout = (files: Files, dialect: Dialect): boolean =>
  !files.has(journalPath(dialect)) && laterMigrations(files, dialect).length > 0

/**
 * The SQL of a folder in either layout.
 * @throws UserError (refused) if the folder is damaged
 */
export function readSql(files: Files, dialect: Dialect): readonly Omit<Migration, 'snapshot'>[] {
  if (!hasLaterLayout(files, dialect)) return readFolder(files, dialect).migrations
  return laterMigrations(files, dialect).sort((one, other) => (one.tag < other.tag ? -1 : 1))
}

/** Milliseconds since 1970 of a time such as 20260131120000. */
const timeOf = (digits: string): number =>
  Date.parse(digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z'))

/** The entries of a journal. @throws JsonFault */
export const journalEntries = (text: string): Journal['entries'] => readJson(text, journalSchema).entries

function textOf(files: Files, path: string): string {
  const text = files.get(path)
  if (text === undefined)
    throw refused(path, 'is missing', 'Move your migrations back if you moved them, or restore')
  return text
}

function read<Value extends { dialect: string }>(
  files: Files,
  path: string,
  schema: z.ZodType<Value>,
  dialect: Dialect,
): Value {
  const value = parse(path, textOf(files, path), schema)
  if (value.dialect === DIALECTS[dialect]) return value
  throw refused(path, `is for ${shorten(value.dialect)}, not for ${DIALECTS[dialect]}`)
}

function parse<Value>(path: string, text: string, schema: z.ZodType<Value>): Value {
  try {
    return readJson(text, schema)
  } catch (error) {
    if (error instanceof JsonFault) throw refused(path, error.message)
    throw error
  }
}

const refused = (path: string, fault: string, fix = 'Restore'): UserError =>
  new UserError('refused', `${shorten(path)} ${fault}. ${fix} migrations/ from version control.`)
