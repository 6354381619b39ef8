import pg from 'pg'
import { type Config, ConfigError } from '../config.ts'
import { isUnavailable } from './dialect.ts'

/**
 * The error of a connection that could not be opened, in one line with what to do. Its code makes `isUnavailable` true
 * whatever the reason, which may be temporary: no query has run, so the request can be repeated.
 */
export function unreachable(cause: unknown, { url }: Config['database']): ConfigError {
  const { host, port, user, database } = new pg.Client({ connectionString: url })
  // For a name with several addresses, Node.js throws an error without a message.
  const [error] = cause instanceof AggregateError ? cause.errors : [cause]
  const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const fix = () => {
    if (code === '3D000')
      return `Create it: createdb --host=${host} --port=${port} --username=${user} ${database}`
    if (code === '42501') return `Grant it: GRANT CONNECT ON DATABASE ${database} TO ${user}`
    if (code.startsWith('28')) return 'Check the user and the password'
    if (/^E[A-Z_]+$/.test(code)) return 'Start PostgreSQL, or correct the address'
    return 'Check the server and the address'
  }
  const message = `DATABASE_URL: no connection to ${database} at ${host}:${port} (${reason}). ${fix()}`
  return Object.assign(new ConfigError(message, { cause }), { code: '08001' })
}

/**
 * Takes a connection of the pool, or opens one. @throws an error that `isUnavailable`, whatever the server's reason; unless
 * the pool is closed
 */
export const acquire = (pool: pg.Pool, settings: Config['database']): Promise<pg.PoolClient> =>
  pool.connect().catch((error: unknown) => {
    throw pool.ending || isUnavailable(error) ? error : unreachable(error, settings)
  })
