import { execFileSync, spawnSync } from 'node:child_process'
import { runOnServer, testServer } from './server.ts'
import { newDatabase } from './shared-database.ts'

/** Whether this machine can back up and restore: with a server, and a pg_dump that is not older. */
export const canRestore = testServer !== undefined && pgDumpVersion() >= (await serverVersion())

/** An address at which there is no database. */
export const noDatabase = 'postgres://localhost:1/nothing'

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
