import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { connect } from '../../src/db/database.ts'
import { patient, runOnServer, testServer } from './server.ts'

/** Whether this machine can back up and restore: with a server, and a pg_dump that is not older. */
export const canRestore = testServer !== undefined && pgDumpVersion() >= (await serverVersion())

/** An address at which there is no database. */
export const noDatabase = 'postgres://localhost:1/nothing'

/** Creates a database on the server. @param statements SQL to run in it @returns its address */
export async function newDatabase(statements = ''): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await runOnServer(`CREATE DATABASE ${name}`)
  onTestFinished(async () => void (await runOnServer(`DROP DATABASE ${name} WITH (FORCE)`)))
  const url = new URL(testServer as string)
  url.pathname = name
  const connection = await connect({ url: url.href, poolSize: 1, ...patient })
  await connection.query(statements)
  await connection.end()
  return url.href
}

/** Restores a backup as docs/database.md does. @returns the address of the new database */
export async function restore(backup: string): Promise<string> {
  const url = await newDatabase()
  const options = ['--exit-on-error', '--single-transaction', '--no-owner', `--dbname=${url}`]
  execFileSync('pg_restore', [...options, backup])
  return url
}

function pgDumpVersion(): number {
  const { stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' })
  return Number(stdout?.match(/\d+/)?.[0] ?? 0)
}

async function serverVersion(): Promise<number> {
  const [row] = await runOnServer('SHOW server_version_num')
  return Math.floor(Number(row?.server_version_num) / 10_000)
}
