import type { Config } from '../../config.ts'
import { connect } from '../../db/database.ts'
import {
  type CopiedColumn,
  type CopiedValue,
  CopyError,
  messageOf,
  quoted,
  RowError,
  type Target,
} from './database.ts'
import {
  createPostgresReader,
  inSchema,
  type PostgresQuery,
  sequencesOf,
  setUpSession,
} from './postgres-reader.ts'

/** Opens the database to copy into: its tables are there, and empty. */
export async function openTarget(settings: Config['database']): Promise<Target> {
  const client = await connect(settings)
  const query: PostgresQuery = async (text, values = []) =>
    (await client.query<(string | null)[]>({ text, values, rowMode: 'array' })).rows
  return createTarget(query, () => client.end())
}

export function createTarget(query: PostgresQuery, close: () => Promise<void>): Target {
  const reader = createPostgresReader(query)
  let aside: (string | null)[][] = []

  const insert = async (table: string, columns: CopiedColumn[], rows: CopiedValue[][]) => {
    const names = columns.map(({ name }) => quoted(name)).join(', ')
    const values = columns.map(({ type }, index) => `v${index}::${type}`).join(', ')
    const lists = columns.map((_column, index) => `$${index + 1}::text[]`).join(', ')
    const aliases = columns.map((_column, index) => `v${index}`).join(', ')
    await query(
      `INSERT INTO ${quoted(table)} (${names}) OVERRIDING SYSTEM VALUE SELECT ${values} FROM unnest(${lists}) AS given(${aliases})`,
      columns.map((_column, index) => rows.map((row) => row[index] ?? null)),
    )
  }

  return {
    ...reader,
    begin: async () => {
      await setUpSession(query)
      await query('BEGIN')
      for (const { name } of await reader.tables())
        await query(`LOCK TABLE ${quoted(name)} IN SHARE ROW EXCLUSIVE MODE`).catch((error: unknown) => {
          throw new CopyError(`Something else uses the target: stop it first (${messageOf(error)})`)
        })
      aside = await query(asideQuery)
      for (const [away] of aside) await query(away ?? '')
    },
    insert: async (table, columns, rows) => {
      for (const [index, row] of rows.entries()) refuseNul(columns, row, index)
      await query('SAVEPOINT batch')
      try {
        await insert(table, columns, rows)
      } catch (error) {
        // One row after the other, to find the one.
        await query('ROLLBACK TO SAVEPOINT batch')
        for (const [index, row] of rows.entries())
          await insert(table, columns, [row]).catch((fault: unknown) => {
            throw new RowError(index, messageOf(fault))
          })
        throw error
      }
      await query('RELEASE SAVEPOINT batch')
    },
    restore: async () => {
      await query('SET CONSTRAINTS ALL IMMEDIATE')
      for (const [, back] of aside)
        await query(back ?? '').catch((error: unknown) => {
          const detail = error instanceof Error && 'detail' in error ? ` (${error.detail})` : ''
          throw new CopyError(`${messageOf(error)}${detail}`)
        })
    },
    setCounters: async (counters) => {
      for (const { table, column, sequence } of await sequencesOf(query)) {
        const [[highest] = []] = await query(
          `SELECT coalesce(max(${quoted(column)}), 0)::text FROM ${quoted(table)}`,
        )
        const given = counters.get(`${table}.${column}`) ?? 0n
        const last = given > BigInt(highest ?? 0) ? given : BigInt(highest ?? 0)
        if (last > 0n)
          await query(`SELECT setval($1::text::regclass, $2::text::bigint)::text`, [sequence, String(last)])
      }
    },
    commit: async () => void (await query('COMMIT')),
    close,
  }
}

/**
 * What takes foreign keys and triggers away, and what brings them back. Rows come table by table, and refer to rows of
 * tables that come later: foreign keys are made anew in the end, which checks all rows at once. What the owner's
 * triggers did once for these rows must not be done again. (`session_replication_role` would do both, but belongs to
 * superusers.)
 */
const asideQuery = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  FROM pg_constraint
  WHERE contype = 'f' AND conparentid = 0 AND connamespace = ${inSchema}
  UNION ALL
  SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', c.oid::regclass, tgname),
    format('ALTER TABLE %s ENABLE TRIGGER %I', c.oid::regclass, tgname)
  FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
  WHERE NOT tgisinternal AND tgenabled = 'O' AND c.relnamespace = ${inSchema}`

function refuseNul(columns: CopiedColumn[], row: CopiedValue[], index: number): void {
  const column = columns.find((_column, at) => row[at]?.includes('\0'))
  if (column)
    throw new RowError(index, `${column.name}: the text holds the character NUL, which PostgreSQL refuses`)
}
