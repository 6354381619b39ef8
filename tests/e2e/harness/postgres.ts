import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { run, succeed } from '../../support/command.ts'

/** Tried if TEST_DATABASE_URL is not set. */
const DEFAULT_URL = `postgres://${encodeURIComponent(userInfo().username)}@127.0.0.1:5432/postgres`

/** The test server: the URL of one of its databases, and the prefix of the test databases' names. */
export interface PostgresServer {
  url: string
  prefix: string
}

/**
 * Looks for a server: at TEST_DATABASE_URL, or a local one that accepts connections.
 * @returns the server, or the reason why it is missing
 * @throws Error if the server at TEST_DATABASE_URL does not answer, because skipping its tests would hide that
 */
export async function findPostgres(): Promise<PostgresServer | { missing: string }> {
  const given = process.env.TEST_DATABASE_URL
  const url = given || DEFAULT_URL
  const asked = await psql(url, ['-c', 'SELECT 1']).catch(() => undefined)
  if (asked?.code === 0) return { url, prefix: `create_authsmith_${randomBytes(4).toString('hex')}_` }
  const reason = asked ? asked.stderr.trim().split('\n').at(-1) : 'psql is missing'
  if (given) throw new Error(`TEST_DATABASE_URL: ${reason}`)
  return { missing: `no PostgreSQL server (${reason}); set TEST_DATABASE_URL` }
}

/** Creates an empty database. @returns its URL */
export async function createDatabase({ url, prefix }: PostgresServer): Promise<string> {
  const name = prefix + randomBytes(6).toString('hex')
  // CREATE DATABASE fails if the template has connections, and template0 never has any.
  await runSql(url, `CREATE DATABASE ${name} TEMPLATE template0`)
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

/** Drops all databases that the tests created. */
export async function dropDatabases({ url, prefix }: PostgresServer): Promise<void> {
  const drop = `SELECT format('DROP DATABASE %I WITH (FORCE)', datname) FROM pg_database WHERE starts_with(datname, '${prefix}') \\gexec`
  await runSql(url, drop)
}

/** All rows of all tables of a database, as text. */
export const readTables = (url: string): Promise<string> =>
  runSql(
    url,
    "SELECT format('SELECT t::text FROM %I t', tablename) FROM pg_tables WHERE schemaname = 'public' \\gexec",
  )

/** Runs SQL and psql commands. @returns the output without headers */
export async function runSql(url: string, script: string): Promise<string> {
  const { stdout } = await succeed('psql', [...QUIET, '-d', url, '-f', '-'], {
    cwd: '/',
    input: `${script}\n`,
  })
  return stdout
}

/** No psqlrc, no password prompt, rows only, stop at the first error. */
const QUIET = ['-X', '-w', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1']

const psql = (url: string, args: string[]) => run('psql', [...QUIET, '-d', url, ...args], { cwd: '/' })
