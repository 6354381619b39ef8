import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { connect } from '../db/database.ts'
import { isPooled } from '../db/session.ts'

/**
 * Runs pg_dump, which writes the database, as it is at this moment, to a file in its custom format. Other processes can
 * read and write meanwhile. Its errors appear on standard error.
 * @throws Error if the address leads to a pooler, or pg_dump is not installed or fails
 */
export async function dump(database: Config['database'], target: string): Promise<void> {
  const server = await serverOf(database)
  const folder = await mkdtemp(join(tmpdir(), 'db-backup-'))
  try {
    const file = join(folder, 'pg_service.conf')
    await writeFile(file, serviceOf(database), { mode: 0o600 })
    await runPgDump(target, { ...server, PGSERVICEFILE: file, PGSERVICE: 'database' })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** @param connection variables, because every user of the machine can see the arguments with `ps` */
async function runPgDump(target: string, connection: NodeJS.ProcessEnv): Promise<void> {
  const options = ['--format=custom', `--file=${target}`]
  // Without emails: a restore must not send again what was sent since the backup.
  options.push('--exclude-table-data=outbox', '--exclude-table-data=mail_requests')
  const child = spawn('pg_dump', options, {
    env: { ...process.env, ...connection },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [status] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    const isMissing = error.code === 'ENOENT'
    throw isMissing ? new Error("pg_dump is missing. Install PostgreSQL's client programs.") : error
  })
  if (status !== 0) throw new Error('pg_dump failed.')
}

/** The options of the address, such as sslmode and sslpassword, as a service of libpq: not all have a variable. */
function serviceOf({ url }: Config['database']): string {
  const lines = [...new Map(new URL(url).searchParams)]
    .filter(([name]) => !/^(user|password|host|hostaddr|port|dbname)$/.test(name))
    .map(([name, value]) => (name === 'ssl' && value === 'true' ? 'sslmode=require' : `${name}=${value}`))
  return ['[database]', ...lines, ''].join('\n')
}

/**
 * Connects as the service does. @returns the variables with which pg_dump connects to the same database
 * @throws Error behind a pooler. pg_dump empties the search_path of its session: other clients would find no table until
 * it is set again.
 */
async function serverOf(database: Config['database']): Promise<NodeJS.ProcessEnv> {
  const connection = await connect(database)
  try {
    if (await isPooled(connection))
      throw new Error(
        'DATABASE_URL leads to a pooler, whose other clients pg_dump would disturb. ' +
          'For this command, set DATABASE_URL to the address of the server itself.',
      )
    const { host, port, user, password, database: name } = connection
    const account = { PGUSER: user, PGDATABASE: name, ...(password && { PGPASSWORD: password }) }
    // The service does not read PGHOSTADDR, which would lead pg_dump to another server.
    return { ...account, PGHOST: host, PGPORT: String(port), PGHOSTADDR: undefined }
  } finally {
    await connection.end()
  }
}
