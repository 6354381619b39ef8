import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { run, succeed } from './command.ts'

/** Where a server answers to which nobody pointed us. */
const DEFAULT_URL = `postgres://${encodeURIComponent(userInfo().username)}@127.0.0.1:5432/postgres`

/** The server that the tests may use: the address of a database of it, and the beginning of their databases' names. */
export interface PostgresServer {
  url: string
  prefix: string
}

/**
 * Looks for a server: the one of TEST_DATABASE_URL, or one on this machine that lets us in.
 * @returns what it is, or why there is none
 * @throws Error where the one of TEST_DATABASE_URL does not answer: to leave its tests out would hide that
 */
export async function findPostgres(): Promise<PostgresServer | { missing: string }> {
  const given = process.env.TEST_DATABASE_URL
  const url = given || DEFAULT_URL
  const asked = await psql(url, ['-c', 'SELECT 1']).catch(() => undefined)
  if (asked?.code === 0) return { url, prefix: `create_authsmith_${randomBytes(4).toString('hex')}_` }
  const reason = asked ? asked.stderr.trim().split('\n').at(-1) : 'psql is missing'
  if (given) throw new Error(`TEST_DATABASE_URL: ${reason}`)
  return { missing: `no PostgreSQL server (${reason}); TEST_DATABASE_URL names one` }
}

/** Makes a new empty database. @returns its address */
export async function createDatabase({ url, prefix }: PostgresServer): Promise<string> {
  const name = prefix + randomBytes(6).toString('hex')
  // Of template0, because nobody is ever connected to it: that would be an error.
  await runSql(url, `CREATE DATABASE ${name} TEMPLATE template0`)
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

/** Drops all databases that were made. */
export async function dropDatabases({ url, prefix }: PostgresServer): Promise<void> {
  const drop = `SELECT format('DROP DATABASE %I WITH (FORCE)', datname) FROM pg_database WHERE starts_with(datname, '${prefix}') \\gexec`
  await runSql(url, drop)
}

/** Every row of every table of a database, as text. */
export const readTables = (url: string): Promise<string> =>
  runSql(
    url,
    "SELECT format('SELECT t::text FROM %I t', tablename) FROM pg_tables WHERE schemaname = 'public' \\gexec",
  )

/** Runs SQL, and psql's own commands. @returns what it prints, without headings */
export async function runSql(url: string, script: string): Promise<string> {
  const { stdout } = await succeed('psql', [...QUIET, '-d', url, '-f', '-'], {
    cwd: '/',
    input: `${script}\n`,
  })
  return stdout
}

/** No settings of the user, no question for a password, rows only, and an end at the first error. */
const QUIET = ['-X', '-w', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1']

const psql = (url: string, args: string[]) => run('psql', [...QUIET, '-d', url, ...args], { cwd: '/' })
