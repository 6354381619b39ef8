import { hash } from 'node:crypto'
import { BREAKPOINT } from '../migrations/sql/statements.ts'
import { UserError } from '../system/errors.ts'
import {
  bookkeeping,
  type CopiedColumn,
  type CopiedValue,
  messageOf,
  type PendingMigration,
  quoted,
  RowError,
  type Target,
} from './database.ts'
import {
  appliedOnPostgres,
  createPostgresReader,
  inSchema,
  type PostgresQuery,
  sequencesOf,
  setUpSession,
} from './postgres-reader.ts'

/** Creates a target that writes on this connection. */
export function postgresTarget(query: PostgresQuery, close: () => Promise<void>): Target {
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
    migrate: (migrations) => migrate(query, migrations),
    begin: async () => {
      await setUpSession(query)
      await query('BEGIN')
      for (const { name } of await reader.tables())
        await query(`LOCK TABLE ${quoted(name)} IN SHARE ROW EXCLUSIVE MODE`).catch((error: unknown) => {
          throw new UserError(
            'refused',
            `Another process uses the target. Stop it first (${messageOf(error)})`,
          )
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
        // Inserts one row at a time, to find the one that was refused.
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
          throw new UserError('failed', `${messageOf(error)}${detail}`)
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
 * The statements that drop foreign keys and disable triggers, and those that undo it. Adding a foreign key checks all
 * rows. (`session_replication_role` would disable both, but only superusers may set it.)
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

/**
 * Migrates as the service does when it starts: in Drizzle Kit's table, a migration is identified by its timestamp. The
 * lock makes a service that starts at the same time wait.
 */
async function migrate(query: PostgresQuery, migrations: readonly PendingMigration[]): Promise<void> {
  await query('BEGIN')
  try {
    await query(`SELECT pg_advisory_xact_lock(hashtext('${bookkeeping}'), hashtext(current_schema()))::text`)
    await query(
      `CREATE TABLE IF NOT EXISTS ${bookkeeping} (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
    )
    const applied = await appliedOnPostgres(query)
    for (const { when, sql } of migrations.filter((migration) => !applied.has(migration.when))) {
      // Drizzle Kit writes the schema only in foreign keys. All tables must be in the schema of the URL's search_path.
      for (const statement of sql.split(BREAKPOINT)) await query(statement.replaceAll('"public".', ''))
      await query(`INSERT INTO ${bookkeeping} (hash, created_at) VALUES ($1, $2)`, [
        hash('sha256', sql),
        when,
      ])
    }
    await query('COMMIT')
  } catch (error) {
    await query('ROLLBACK').catch(() => {})
    throw error
  }
}

function refuseNul(columns: CopiedColumn[], row: CopiedValue[], index: number): void {
  const column = columns.find((_column, at) => row[at]?.includes('\0'))
  if (column)
    throw new RowError(
      index,
      `${column.name}: the text contains the character NUL, which PostgreSQL does not support`,
    )
}
