import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { connect } from '../../src/db/database.ts'
import { testServer } from './server.ts'

const patient = { connectTimeoutMs: 300_000, statementTimeoutMs: 300_000 }

/** Whether this machine can back up and restore: with a server, and a pg_dump that is not older. */
export const canRestore = testServer !== undefined && pgDumpVersion() >= (await serverVersion(testServer))

/** Whether this machine can create databases that processes share. */
export const canCreate = testServer !== undefined

/** An address at which there is no database. */
export const noDatabase = 'postgres://localhost:1/nothing'

/** Creates a database on the server. @param statements SQL to run in it @returns its address */
export async function newDatabase(statements = ''): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const server = testServer as string
  await query(server, `CREATE DATABASE ${name}`)
  onTestFinished(async () => void (await query(server, `DROP DATABASE ${name} WITH (FORCE)`)))
  const url = new URL(server)
  url.pathname = name
  await query(url.href, statements)
  return url.href
}

/** Restores a backup as docs/database.md does. @returns the address of the new database */
export async function restore(backup: string): Promise<string> {
  const url = await newDatabase()
  const options = ['--exit-on-error', '--single-transaction', '--no-owner', `--dbname=${url}`]
  execFileSync('pg_restore', [...options, backup])
  return url
}

/** Holds the lock of another process that migrates. @returns a function that releases it */
export async function lockMigrations(url: string): Promise<() => Promise<void>> {
  const connection = await connect({ url, poolSize: 1, ...patient })
  onTestFinished(() => connection.end())
  await connection.query(
    `BEGIN; SELECT pg_advisory_xact_lock(hashtext('__drizzle_migrations'), hashtext(current_schema()))`,
  )
  return async () => void (await connection.query('COMMIT'))
}

async function query(url: string, statement: string) {
  const connection = await connect({ url, poolSize: 1, ...patient })
  const { rows } = await connection.query(statement)
  await connection.end()
  return rows
}

function pgDumpVersion(): number {
  const { stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' })
  return Number(stdout?.match(/\d+/)?.[0] ?? 0)
}

async function serverVersion(url: string): Promise<number> {
  const [row] = await query(url, 'SHOW server_version_num')
  return Math.floor(Number(row.server_version_num) / 10_000)
}
