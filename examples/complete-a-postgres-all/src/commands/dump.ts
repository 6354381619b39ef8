import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Config } from '../config.ts'
import { connect } from '../db/database.ts'
import { isPooled } from '../db/session.ts'

/**
 * Runs pg_dump, which writes the database, as it is at this moment, to a file in its custom format. Other processes can
 * read and write meanwhile. Its errors appear on standard error.
 * @throws Error if the address leads to a pooler, or pg_dump is not installed or fails
 */
export async function dump(database: Config['database'], target: string): Promise<void> {
  await refusePooler(database)
  const address = new URL(database.url)
  // Not among the arguments, which every user of the machine can see with `ps`.
  const password = address.password && { PGPASSWORD: decodeURIComponent(address.password) }
  address.password = ''
  // libpq, unlike pg, does not read + as a space.
  address.search = address.search.replaceAll('+', '%20')
  const options = ['--format=custom', `--file=${target}`, `--dbname=${address.href}`]
  // Without emails: a restore must not send again what was sent since the backup.
  options.push('--exclude-table-data=outbox', '--exclude-table-data=mail_requests')
  const child = spawn('pg_dump', options, {
    env: { ...process.env, ...password },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [status] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    const isMissing = error.code === 'ENOENT'
    throw isMissing ? new Error("pg_dump is missing. Install PostgreSQL's client programs.") : error
  })
  if (status !== 0) throw new Error('pg_dump failed.')
}

/** pg_dump empties the search_path of its session: other clients of the pooler would find no table until it is set again. */
async function refusePooler(database: Config['database']): Promise<void> {
  const connection = await connect(database)
  try {
    if (await isPooled(connection))
      throw new Error(
        'DATABASE_URL leads to a pooler, whose other clients pg_dump would disturb. ' +
          'For this command, set DATABASE_URL to the address of the server itself.',
      )
  } finally {
    await connection.end()
  }
}
