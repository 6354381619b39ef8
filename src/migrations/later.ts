import * as z from 'zod'
import { UserError } from '../system/errors.ts'
import type { Files } from '../system/file-system.ts'
import { jsonText } from '../system/json.ts'
import {
  deltaSchema,
  deltasBetween,
  type Entity,
  entitiesOf,
  entitySchema,
  grouped,
  withDeltas,
} from './entities.ts'
import { readFile } from './read-file.ts'
import type { Dialect } from './sql/tokens.ts'

/** What Drizzle Kit 1.0 writes into its snapshots. */
export const LATER = {
  sqlite: { version: '7', dialect: 'sqlite' },
  postgres: { version: '9', dialect: 'postgres' },
} as const

const snapshotSchema = z
  .looseObject({
    id: z.string(),
    prevIds: z.array(z.string()),
    version: z.string(),
    dialect: z.string(),
    /** All entities; undefined in a snapshot that has deltas. */
    ddl: z.array(entitySchema).optional(),
    deltas: z.array(deltaSchema).optional(),
  })
  .refine(({ ddl, deltas }) => ddl || deltas, { error: 'has neither ddl nor deltas' })

/** A snapshot in the shape of that of Drizzle Kit 0.31. */
interface Snapshot {
  id: string
  version: string
  tables: object
  /** Undefined only in one that Drizzle Kit 0.31 wrote. */
  others?: unknown
}

/** What the first snapshot follows. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

/** The path of the SQL of a migration in the layout of Drizzle Kit 1.0. */
export const laterPath = (dialect: Dialect, tag: string): string =>
  `migrations/${dialect}/${tag}/migration.sql`

const laterSnapshotPath = (dialect: Dialect, tag: string) => `migrations/${dialect}/${tag}/snapshot.json`

/** The migration whose SQL is at `path`; undefined for any other file. */
export function laterMigration(path: string, dialect: Dialect): { tag: string; when: number } | undefined {
  const [, folder, tag = '', time = ''] =
    /^migrations\/(\w+)\/((\d{14})_[^/]+)\/migration\.sql$/.exec(path) ?? []
  return folder === dialect ? { tag, when: timeOf(time) } : undefined
}

/** Those of a folder, in order. */
export const laterMigrations = (files: Files, dialect: Dialect) =>
  [...files]
    .flatMap(([path, sql]) => {
      const found = laterMigration(path, dialect)
      return found ? [{ ...found, sql }] : []
    })
    .sort((one, other) => (one.tag < other.tag ? -1 : 1))

/**
 * Reads a folder in the layout of Drizzle Kit 1.0, in the shape of one of 0.31.
 * @throws UserError (refused) if a file is damaged, or two branches were merged and no migration follows both
 */
export function readLater(files: Files, dialect: Dialect) {
  let entities: readonly Entity[] = []
  const parents = new Set<string>()
  const migrations = laterMigrations(files, dialect).map((migration) => {
    const path = laterSnapshotPath(dialect, migration.tag)
    const snapshot = readFile(files, path, snapshotSchema, LATER[dialect].dialect)
    const { id, version, prevIds, ddl, deltas = [] } = snapshot
    entities = ddl ?? withDeltas(entities, deltas)
    for (const parent of prevIds) parents.add(parent)
    return { ...migration, snapshot: { id, version, dialect: snapshot.dialect, ...grouped(entities) } }
  })
  if (migrations.slice(0, -1).some(({ snapshot }) => !parents.has(snapshot.id)))
    throw new UserError(
      'refused',
      `migrations/${dialect}/ has migrations of two branches. Run \`db:generate --custom\`, which writes one that follows both, then run the command again.`,
    )
  return migrations
}

/**
 * The files of a migration in the layout of Drizzle Kit 1.0.
 * @param last the snapshot before it; undefined for the first migration
 */
export function laterFiles(
  dialect: Dialect,
  { tag, sql, snapshot }: { tag: string; sql: string; snapshot: Snapshot },
  last: Snapshot | undefined,
): Files {
  const ddl = entitiesOf(snapshot)
  const { id, version } = snapshot
  const header = { version, dialect: LATER[dialect].dialect, id, prevIds: [last?.id ?? NO_ID] }
  // With footprints, Drizzle Kit compares migrations of two branches. Those of its `--custom` have none either.
  const ofPostgres = last
    ? { type: 'diff', ...header, footprints: [], deltas: deltasBetween(entitiesOf(last), ddl) }
    : { type: 'base', ...header, footprints: [], ddl }
  return new Map([
    [laterPath(dialect, tag), sql],
    [
      laterSnapshotPath(dialect, tag),
      jsonText(dialect === 'sqlite' ? { ...header, ddl, renames: [] } : ofPostgres),
    ],
  ])
}

/** Milliseconds since 1970 of a time such as 20260131120000, as Drizzle computes it. */
function timeOf(digits: string): number {
  const [year = 0, month = 0, ...rest] = (digits.match(/^\d{4}|\d\d/g) ?? []).map(Number)
  return Date.UTC(year, month - 1, ...rest)
}
