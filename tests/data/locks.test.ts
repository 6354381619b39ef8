import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { State } from '../../src/answers/variant.ts'
import { readFolder } from '../../src/migrations/drizzle-kit/folder.ts'
import { transition } from '../../src/migrations/transition.ts'
import { olderTables } from '../support/older-version.ts'
import { freshFiles } from './living-project.ts'

const server = process.env.TEST_DATABASE_URL
/** Locks need a second connection, and PGlite has one. */
const title = server ? 'on a server' : 'on a server (skipped: TEST_DATABASE_URL is not set)'

type Migrate = (settings: object, folder: string) => Promise<number>

/** What the test uses of a connection. */
interface Connection {
  connect(): Promise<void>
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>
  end(): Promise<void>
}

/** A migrated database of an older version in complete B, and its project after the update. */
async function updated() {
  const state: State = 'complete-b'
  const next = freshFiles(state, 'postgres')
  const old = olderTables(next, 'postgres')
  const update = (now: number) =>
    transition({
      ...{ dialect: 'postgres', folder: readFolder(old, 'postgres'), base: old, next, now },
      ...{ history: [state], to: state, existingUsers: 'unverified', ever: [], keptTables: new Set() },
      fresh: (past) => freshFiles(past, 'postgres'),
    }).files
  const migrationsOf = (files: Iterable<[string, string]>) =>
    [...files].filter(([path]) => path.startsWith('migrations/'))
  const former = write(migrationsOf(old))
  const project = write([...[...next].filter(([path]) => path.startsWith('src/'))])
  const folderAt = (now: number) => write([...migrationsOf(old), ...update(now)])

  const name = `test_${randomUUID().replaceAll('-', '')}`
  const url = new URL(server ?? '')
  url.pathname = `/${name}`
  url.searchParams.set('application_name', name)
  const { Client } = createRequire(join(inject('modules'), 'package.json'))('pg')
  const connect = async (connectionString = url.href): Promise<Connection> => {
    const connection: Connection = new Client({ connectionString })
    await connection.connect()
    return connection
  }
  const owner = await connect(server)
  await owner.query(`CREATE DATABASE ${name} TEMPLATE template0`)
  const connection = await connect()
  onTestFinished(async () => {
    await connection.end()
    await owner.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await owner.end()
  })
  const { migrate }: { migrate: Migrate } = await import(
    pathToFileURL(join(project, 'src/db/migrate.ts')).href
  )
  const settings = { url: url.href, poolSize: 1, connectTimeoutMs: 600_000, statementTimeoutMs: 600_000 }
  await migrate(settings, join(former, 'migrations/postgres'))
  await connection.query(
    `INSERT INTO users (email, username, hashed_password, created_at) VALUES ('ada@example.com', 'ada', 'hash', now())`,
  )
  return {
    connect,
    column: async (sql: string) => (await connection.query(sql)).rows.map((row) => Object.values(row)[0]),
    /** @param now the time of the update */
    migrate: (now = 1_800_000_000_000) => migrate(settings, join(folderAt(now), 'migrations/postgres')),
    /** The processes that wait for the writer. The build of another index waits for the poll's own snapshot. */
    waiting: `SELECT pid FROM pg_stat_activity WHERE EXISTS (
      SELECT FROM pg_stat_activity AS other WHERE other.pid = ANY (pg_blocking_pids(pg_stat_activity.pid))
      AND application_name = '${name}' AND other.query LIKE 'BEGIN; LOCK TABLE%')`,
  }
}

/** Writes files to a new folder with the dependencies of a project. @returns the folder */
function write(files: readonly (readonly [string, string])[]): string {
  const folder = mkdtempSync(join(inject('drafts'), 'locks-'))
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  symlinkSync(join(inject('modules'), 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Migrates while a transaction is open that wrote to the sessions: the build of an index on them waits for it. */
async function migrateAround({ connect, column, migrate, waiting }: Awaited<ReturnType<typeof updated>>) {
  const writer = await connect()
  await writer.query('BEGIN; LOCK TABLE refresh_tokens IN ROW EXCLUSIVE MODE')
  const migrating = migrate().catch((error: Error) => error)
  onTestFinished(async () => {
    await writer.end()
    await migrating
  })
  await expect.poll(() => column(waiting), { timeout: 600_000 }).toHaveLength(1)
  return { writer, migrating }
}

const indexes = `SELECT indexrelid::regclass::text || CASE WHEN indisvalid THEN '' ELSE ' (invalid)' END FROM pg_index
  WHERE indrelid = 'refresh_tokens'::regclass ORDER BY 1`
const constraints = `SELECT conname FROM pg_constraint WHERE conrelid = 'outbox'::regclass AND contype = 'u'`

describe.skipIf(server === undefined)(`the update of a database of an older version, ${title}`, () => {
  test('blocks no request of a former instance while it builds an index', async () => {
    const database = await updated()
    const { writer, migrating } = await migrateAround(database)
    const requests = [
      'SELECT id FROM users WHERE id = 1',
      'UPDATE users SET last_login_at = now() WHERE id = 1',
      'SELECT id FROM outbox',
      `INSERT INTO outbox (message_id, recipient, subject, template, created_at, next_attempt_at) VALUES ('1', 'ada', 's', 't', now(), now())`,
      'SELECT id FROM refresh_tokens WHERE user_id = 1',
      `INSERT INTO refresh_tokens (user_id, token, expires_at, created_at) VALUES (1, 'other', now(), now())`,
    ]
    const former = await database.connect()
    onTestFinished(() => former.end())
    await former.query('SET lock_timeout = 1')
    const failed: string[] = []
    for (const request of requests) await former.query(request).catch(() => failed.push(request))
    expect(failed).toEqual([])
    await writer.query('COMMIT')
    expect(await migrating).toBe(3)
    expect(await database.column(constraints)).toEqual(['outbox_message_id_unique'])
    expect(await database.column(indexes)).toEqual([
      'refresh_tokens_expires_at',
      'refresh_tokens_pkey',
      'refresh_tokens_user_revoked',
    ])
  })

  test('continues after an interrupted build', async () => {
    const database = await updated()
    const { writer, migrating } = await migrateAround(database)
    await database.column(`SELECT pg_terminate_backend(pid) FROM (${database.waiting}) AS building`)
    expect(await migrating).toBeInstanceOf(Error)
    await writer.query('COMMIT')
    expect(await database.column(indexes)).toEqual([
      'refresh_tokens_expires_at',
      'refresh_tokens_pkey',
      'refresh_tokens_user_revoked (invalid)',
    ])
    expect(await database.column(constraints)).toEqual([])
    expect(await database.migrate()).toBe(2)
    expect(await database.column(constraints)).toEqual(['outbox_message_id_unique'])
    expect(await database.column(indexes)).toEqual([
      'refresh_tokens_expires_at',
      'refresh_tokens_pkey',
      'refresh_tokens_user_revoked',
    ])
  })

  test('is applied once by two instances that start together, and recognized if it is repeated', async () => {
    const database = await updated()
    const counts = await Promise.all([database.migrate(), database.migrate()])
    expect(counts.reduce((sum, count) => sum + count)).toBe(3)
    expect(await database.migrate(1_900_000_000_000)).toBe(0)
  })
})
