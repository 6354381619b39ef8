import { BREAKPOINT } from '../migrations/sql/statements.ts'
import { failed, refused } from '../system/errors.ts'
import { compareApplied, hashOf } from './applied.ts'
import {
  type CopiedColumn,
  type CopiedValue,
  MIGRATIONS,
  messageOf,
  type PendingMigration,
  quoted,
  RowError,
  type Table,
  type Target,
} from './database.ts'
import { IN_SCHEMA, type PostgresQuery, refuseHiddenRows, setUpSession } from './postgres-connection.ts'
import { appliedOnPostgres, postgresReader, sequencesOf } from './postgres-reader.ts'

/**
 * Creates a target that writes on this connection.
 * @throws UserError (refused) if row-level security hides rows
 */
export async function postgresTarget(query: PostgresQuery, close: () => Promise<void>): Promise<Target> {
  await setUpSession(query)
  const reader = postgresReader(query)
  let suspended: (string | null)[][] = []
  return {
    ...reader,
    migrate: (migrations) => migrate(query, migrations),
    begin: async () => {
      await query('BEGIN')
      await lock(query, await reader.tables())
      // Again, because a migration can enable it.
      await refuseHiddenRows(query)
      const always = (await query(ALWAYS)).flat().join(', ')
      suspended = await query(SUSPENDABLE)
      for (const [suspend] of suspended) await query(suspend ?? '')
      // Their owner may expect that they run even here.
      return always ? [`Triggers that are ENABLE ALWAYS do not run during the copy either: ${always}`] : []
    },
    insert: insertBatch(query),
    restore: async () => {
      await query('SET CONSTRAINTS ALL IMMEDIATE')
      for (const [, resume] of suspended)
        await query(resume ?? '').catch((error: unknown) => {
          const detail = error instanceof Error && 'detail' in error ? ` (${error.detail})` : ''
          throw failed(`${messageOf(error)}${detail}`)
        })
    },
    setCounters: (counters) => setCounters(query, counters),
    commit: async () => void (await query('COMMIT')),
    close,
  }
}

async function lock(query: PostgresQuery, tables: Table[]): Promise<void> {
  for (const { name } of tables)
    await query(`LOCK TABLE ${quoted(name)} IN SHARE ROW EXCLUSIVE MODE`).catch((error: unknown) => {
      throw refused(`Another process uses the target. Stop it first (${messageOf(error)})`)
    })
}

/** Inserts all rows with one statement or, if that fails, one at a time to find the one that is refused. */
const insertBatch =
  (query: PostgresQuery): Target['insert'] =>
  async (table, columns, rows) => {
    const fault = 'the text contains the character NUL, which PostgreSQL does not support'
    for (const [index, row] of rows.entries()) {
      const column = columns.find((_column, at) => row[at]?.includes('\0'))
      if (column) throw new RowError(index, `${column.name}: ${fault}`)
    }
    const insert = insertInto(query, table, columns)
    await query('SAVEPOINT batch')
    try {
      await insert(rows)
    } catch (error) {
      await query('ROLLBACK TO SAVEPOINT batch')
      for (const [index, row] of rows.entries())
        await insert([row]).catch((fault: unknown) => {
          throw new RowError(index, messageOf(fault))
        })
      throw error
    }
    await query('RELEASE SAVEPOINT batch')
  }

function insertInto(query: PostgresQuery, table: string, columns: CopiedColumn[]) {
  const names = columns.map(({ name }) => quoted(name)).join(', ')
  const values = columns.map(({ type }, index) => `v${index}::${type}`).join(', ')
  const lists = columns.map((_column, index) => `$${index + 1}::text[]`).join(', ')
  const aliases = columns.map((_column, index) => `v${index}`).join(', ')
  const statement = `INSERT INTO ${quoted(table)} (${names}) OVERRIDING SYSTEM VALUE SELECT ${values} FROM unnest(${lists}) AS given(${aliases})`
  return (rows: CopiedValue[][]) =>
    query(
      statement,
      columns.map((_column, index) => rows.map((row) => row[index] ?? null)),
    )
}

async function setCounters(query: PostgresQuery, counters: Map<string, bigint>): Promise<void> {
  for (const { table, column, sequence } of await sequencesOf(query)) {
    const given = counters.get(`${table}.${column}`) ?? 0n
    const highest = `SELECT greatest(max(${quoted(column)}), $1::text::bigint)::text FROM ${quoted(table)}`
    const [[last] = []] = await query(highest, [String(given)])
    if (last && BigInt(last) > 0n)
      await query(`SELECT setval($1::text::regclass, $2::text::bigint)::text`, [sequence, last])
  }
}

/** Triggers that would run under `session_replication_role` too. */
const ALWAYS = `
  SELECT format('%I on %s', tgname, c.oid::regclass)
  FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
  WHERE NOT tgisinternal AND tgenabled = 'A' AND c.relnamespace = ${IN_SCHEMA}`

/**
 * The statements that drop foreign keys and disable triggers, and those that undo it. Adding a foreign key checks all
 * rows. (`session_replication_role` would disable both, but only superusers may set it.)
 */
const SUSPENDABLE = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  FROM pg_constraint
  WHERE contype = 'f' AND conparentid = 0 AND connamespace = ${IN_SCHEMA}
  UNION ALL
  SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', c.oid::regclass, tgname),
    format('ALTER TABLE %s ENABLE %s TRIGGER %I', c.oid::regclass, CASE tgenabled WHEN 'A' THEN 'ALWAYS' END, tgname)
  FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
  WHERE NOT tgisinternal AND tgenabled IN ('A', 'O') AND c.relnamespace = ${IN_SCHEMA}`

/** Migrates as the service does when it starts. The lock makes a service that starts at the same time wait. */
async function migrate(query: PostgresQuery, migrations: readonly PendingMigration[]): Promise<void> {
  await query('BEGIN')
  try {
    await query(`SELECT pg_advisory_xact_lock(hashtext('${MIGRATIONS}'), hashtext(current_schema()))::text`)
    await query(
      `CREATE TABLE IF NOT EXISTS ${MIGRATIONS} (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
    )
    const { pending, repeated } = compareApplied(migrations, await appliedOnPostgres(query))
    const redate = `UPDATE ${MIGRATIONS} SET created_at = $1 WHERE hash = $2 AND created_at = $3`
    for (const { migration, row } of repeated) await query(redate, [migration.when, row.hash, row.time])
    const record = `INSERT INTO ${MIGRATIONS} (hash, created_at) VALUES ($1, $2)`
    for (const migration of pending) {
      // Drizzle Kit writes the schema only in foreign keys. All tables must be in the schema of the URL's search_path.
      // No transaction allows CONCURRENTLY, and in an empty database it makes no difference.
      for (const statement of migration.sql.split(BREAKPOINT))
        await query(statement.replaceAll(/"public"\.|(?<=\bINDEX)\s+CONCURRENTLY\b/gi, ''))
      await query(record, [hashOf(migration), migration.when])
    }
    await query('COMMIT')
  } catch (error) {
    await query('ROLLBACK').catch(() => {})
    throw error
  }
}
