import type { State } from '../../src/answers/variant.ts'
import type { Dialect } from '../../src/migrations/sql/tokens.ts'
import { LivingProject } from './living-project.ts'
import type { Row } from './test-database.ts'

/** Creation and expiry time of all rows, in milliseconds. */
export const START = 1_790_000_000_000
export const EXPIRES = 4_000_000_000_000

/** Half of the cases: the other database has the others. `npm run test:all` has all of them on both. */
export const everyRun = <Case>(cases: readonly Case[], dialect: Dialect): readonly Case[] =>
  process.env.TEST_ALL ? cases : cases.filter((_, index) => index % 2 === (dialect === 'sqlite' ? 0 : 1))

/** Writes and reads rows as the generated service of each state does. */
export function serviceOn(dialect: Dialect) {
  const at = (ms: number) => (dialect === 'sqlite' ? String(ms) : `to_timestamp(${ms} / 1000.0)`)

  /** Runs `work` on a new project with a new database, or on that of an older version with these files. */
  const living = async (
    state: State,
    work: (project: LivingProject) => Promise<void>,
    files?: ReadonlyMap<string, string>,
  ) => {
    const project = await LivingProject.create(state, dialect, files)
    await work(project).finally(() => project.database.remove())
  }

  const rows = async (project: LivingProject, query: string): Promise<Row[]> =>
    (await project.database.rows(query)).map(plain)
  const column = async (project: LivingProject, query: string) =>
    (await rows(project, query)).map((row) => Object.values(row)[0])
  const run = (project: LivingProject, ...statements: string[]) => project.database.run(...statements)

  /** Registers a user as the code of the current state does. */
  const register = (project: LivingProject, name: string) => {
    const isB = project.state.endsWith('-b')
    return run(
      project,
      `INSERT INTO users (email, username, hashed_password, created_at${isB ? ', updated_at' : ''})
       VALUES ('${name}@example.com', '${name}', 'hash of ${name}', ${at(START)}${isB ? `, ${at(START)}` : ''})`,
    )
  }
  const userId = (name: string) => `(SELECT id FROM users WHERE username = '${name}')`
  /** Starts a session as the code of the current state (mode complete) does. @returns the session's id */
  const logIn = async (project: LivingProject, name: string, token: string): Promise<number> => {
    const [columns, values] = [
      'user_id, token, expires_at, created_at',
      `${userId(name)}, '${token}', ${at(EXPIRES)}, ${at(START)}`,
    ]
    await run(
      project,
      project.state === 'complete-a'
        ? `INSERT INTO tokens (${columns}, token_type) VALUES (${values}, 'refresh')`
        : `INSERT INTO refresh_tokens (${columns}, device_name) VALUES (${values}, 'Laptop of ${name}')`,
    )
    const [session] = await rows(project, `SELECT id FROM ${sessionsOf(project)} WHERE token = '${token}'`)
    return Number(session?.id)
  }
  const sessionsOf = (project: LivingProject) =>
    project.state === 'complete-a' ? 'tokens' : 'refresh_tokens'
  /** The refresh tokens that the code of the current state accepts. */
  const sessions = (project: LivingProject) =>
    column(
      project,
      project.state === 'complete-a'
        ? "SELECT token FROM tokens WHERE token_type = 'refresh' ORDER BY id"
        : 'SELECT token FROM refresh_tokens WHERE NOT is_revoked ORDER BY id',
    )
  /** Stores a mailed token or code as the code of the current state does. */
  const mail = (project: LivingProject, name: string, kind: 'verification' | 'reset', token: string) => {
    const values = `${userId(name)}, '${token}', ${at(EXPIRES)}, ${at(START)}`
    const type = kind === 'reset' ? 'password_reset' : 'email_verification'
    return run(
      project,
      project.state === 'complete-a'
        ? `INSERT INTO tokens (user_id, token, expires_at, created_at, token_type) VALUES (${values}, '${kind}')`
        : `INSERT INTO verification_codes (user_id, code, expires_at, created_at, code_type) VALUES (${values}, '${type}')`,
    )
  }
  /** The mailed tokens and codes that the code of the current state accepts. */
  const redeemable = async (project: LivingProject) =>
    (
      await rows(
        project,
        project.state === 'complete-a'
          ? "SELECT token, token_type AS kind FROM tokens WHERE token_type <> 'refresh'"
          : "SELECT code AS token, CASE code_type WHEN 'password_reset' THEN 'reset' ELSE 'verification' END AS kind FROM verification_codes WHERE NOT is_used",
      )
    )
      .map(({ token, kind }) => `${kind} ${token}`)
      .sort()
  const verified = (project: LivingProject) =>
    column(project, 'SELECT username FROM users WHERE is_verified ORDER BY username')
  /** Revokes access tokens as mode basic does: those issued before the next whole second. */
  const endAccess = (project: LivingProject, name: string, seconds = 1) => {
    const next =
      dialect === 'sqlite'
        ? `(unixepoch() + ${seconds}) * 1000`
        : `date_trunc('second', now()) + interval '${seconds} seconds'`
    return run(project, `UPDATE users SET tokens_valid_from = ${next} WHERE username = '${name}'`)
  }

  return { at, living, rows, column, run, register, logIn, sessions, mail, redeemable, verified, endAccess }
}

/** A row in one form for both databases: times in milliseconds, booleans as 0 and 1, numbers as numbers. */
function plain(row: Row): Row {
  const value = (each: unknown) => {
    if (each instanceof Date) return each.getTime()
    if (typeof each === 'boolean' || typeof each === 'bigint') return Number(each)
    return typeof each === 'string' && /^\d+$/.test(each) ? Number(each) : each
  }
  return Object.fromEntries(Object.entries(row).map(([key, each]) => [key, value(each)]))
}
