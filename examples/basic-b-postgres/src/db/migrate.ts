import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { MigrationMeta } from 'drizzle-orm/migrator'
import type pg from 'pg'
import { type Config, ConfigError } from '../config.ts'
import { checkAccess, withFix } from './access.ts'
import { type Applied, compare, migrationError, readMigrations } from './applied.ts'
import { isConcurrent, runConcurrently } from './concurrent.ts'
import { connect } from './database.ts'
import { probe } from './probe.ts'
import { checkClient } from './session.ts'

/** The folder that `drizzle-kit generate` writes, next to src/ and dist/. */
const migrationsFolder = fileURLToPath(new URL('../../migrations/postgres', import.meta.url))

/** How long a statement waits for a lock. All requests to the table queue behind it, so it is shorter than their timeout. */
const lockTimeoutMs = 500

/** Attempts to get the locks of a migration, and the pause between them: five minutes in all. */
const maxTries = 60
const pauseMs = 5_000

/** How often to ask whether another process still migrates. */
const lockPollMs = 100

interface Context {
  migrations: MigrationMeta[]
  connection: pg.Client
  /** Opens another connection. */
  reconnect: () => Promise<pg.Client>
  pause: (ms: number) => Promise<unknown>
  waitMs: number
}

/**
 * Applies the pending migrations, each in a transaction: a crash leaves the schema before or after it. Several
 * processes may start together: one applies a migration while the others wait. If there is none, nothing is written.
 * @param folder the migrations, in Drizzle Kit's layout
 * @param waitMs how long to wait for a connection on a busy server; for another process that migrates, sixty times as long
 * @param pause waits before the next attempt to get a lock; tests replace it
 * @returns the number of migrations applied
 */
export async function migrate(
  settings: Config['database'],
  folder = migrationsFolder,
  waitMs = 30_000,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<number> {
  const migrations = readMigrations(folder)
  const reconnect = () => connect({ ...settings, connectTimeoutMs: waitMs })
  const connection = await reconnect()
  const context = { migrations, connection, reconnect, pause, waitMs }
  try {
    await checkAccess(connection, [])
    const found = await retryLocks(context, () => connection.query(begin).then(() => findApplied(connection)))
    await connection.query('COMMIT')
    const { pending, repeated, unknown } = compare(migrations, found ?? [])
    let count = 0
    for (const { migration, row } of repeated)
      await connection.query(
        'UPDATE __drizzle_migrations SET created_at = $1 WHERE hash = $2 AND created_at = $3',
        [migration.folderMillis, row.hash, row.time],
      )
    for (const migration of pending)
      if (await retryLocks(context, () => apply(context, migration), unknown)) count += 1
    // The folder of a test has other tables.
    if (folder === migrationsFolder) await checkAccess(connection, probe)
    return count
  } catch (error) {
    throw withFix(error)
  } finally {
    // Rolls back if there was no COMMIT.
    await connection.end()
  }
}

/** READ COMMITTED sees what was committed while it waited. Timeouts of the role must not end the wait. */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout TO ${lockTimeoutMs}
  ; SET LOCAL statement_timeout TO 0; SET LOCAL idle_in_transaction_session_timeout TO 0`

/** Applies a migration. @returns `false` if another process has applied it meanwhile */
async function apply(
  { migrations, connection, reconnect, pause, waitMs }: Context,
  migration: MigrationMeta,
): Promise<boolean> {
  const { folderMillis, hash, sql } = migration
  const statements = sql.map(inCurrentSchema)
  // Asks again instead of waiting in the server: CREATE INDEX CONCURRENTLY waits for statements that are older. Ends the
  // transaction meanwhile: behind a pooler, the processes that wait would take all connections from the one that migrates.
  const endsAt = Date.now() + waitMs * 60
  for (let tries = 1; !(await beginLocked(connection)); tries += 1) {
    await connection.query('ROLLBACK')
    if (tries === 1) console.error('Migrations: waiting for another process that migrates')
    if (Date.now() > endsAt) throw new ConfigError('Another process still migrates: stop it, or start again')
    await pause(lockPollMs)
  }
  const applied = await findApplied(connection)
  if (!applied)
    await connection.query(
      'CREATE TABLE __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)',
    )
  const isApplied = !compare(migrations, applied ?? []).pending.includes(migration)
  if (!isApplied) {
    if (isConcurrent(statements)) await runConcurrently(reconnect, statements)
    else for (const statement of statements) await connection.query(statement)
    const insert = 'INSERT INTO __drizzle_migrations (hash, created_at) VALUES ($1, $2)'
    await connection.query(insert, [hash, folderMillis])
  }
  await connection.query('COMMIT')
  return !isApplied
}

/** Begins a transaction and takes the lock of the migrations until it ends, as a transaction pooler needs. */
async function beginLocked(connection: pg.Client): Promise<boolean> {
  await connection
    .query(`${begin}; ${checkClient({ isLocal: true })}`)
    .catch(() => connection.query(`ROLLBACK; ${begin}`))
  // Without parameters, which would keep a snapshot in this transaction.
  const { rows } = await connection.query(
    `SELECT pg_try_advisory_xact_lock(hashtext('__drizzle_migrations'), hashtext(current_schema())) AS taken`,
  )
  return rows[0].taken
}

/** The applied migrations, or undefined if there is no table yet. */
async function findApplied(connection: pg.Client): Promise<Applied[] | undefined> {
  const table = await connection.query(
    `SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = '__drizzle_migrations'`,
  )
  if (table.rowCount === 0) return undefined
  const { rows } = await connection.query('SELECT hash, created_at FROM __drizzle_migrations')
  return rows.map((row) => ({ hash: row.hash, time: Number(row.created_at) }))
}

/** Repeats a transaction that does not get a lock. A backup, for example, locks every table until it ends. */
async function retryLocks<Result>(
  { connection, pause }: Context,
  work: () => Promise<Result>,
  unknown: Applied[] = [],
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === '55P03'))
        throw migrationError(error, unknown)
      if (tries === maxTries)
        throw new ConfigError('A backup or a long transaction locks a table: start again when it has ended')
      await connection.query('ROLLBACK')
      if (tries === 1) console.error('Migrations: waiting for a backup or a long transaction')
      await pause(pauseMs)
    }
  }
}

/** Drizzle Kit writes the schema in foreign keys only. Without it, they too follow the search_path of the URL. */
const inCurrentSchema = (statement: string): string => statement.replaceAll('"public".', '')
