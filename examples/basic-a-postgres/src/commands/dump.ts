import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Config } from '../config.ts'

/**
 * Runs pg_dump, which writes the database, as it is at this moment, to a file in its custom format. Other processes can
 * read and write meanwhile. Its errors appear on standard error.
 * @throws Error if pg_dump is not installed or fails
 */
export async function dump({ url }: Config['database'], target: string): Promise<void> {
  const address = new URL(url)
  // Not among the arguments, which every user of the machine can see with `ps`.
  const password = address.password && { PGPASSWORD: decodeURIComponent(address.password) }
  address.password = ''
  // libpq, unlike pg, does not read + as a space.
  address.search = address.search.replaceAll('+', '%20')
  const options = ['--format=custom', `--file=${target}`, `--dbname=${address.href}`]
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
