import type { Dialect } from '../../src/migrations/sql-tokens.ts'
import type { State } from '../../src/migrations/state.ts'
import { LivingProject } from './living-project.ts'
import type { Row } from './test-database.ts'

/** When everything is made, and when it expires. */
export const START = 1_790_000_000_000
export const EXPIRES = 4_000_000_000_000

/** What the generated service does to its rows, state by state, and how it reads them. */
export function serviceOn(dialect: Dialect) {
  const at = (ms: number) => (dialect === 'sqlite' ? String(ms) : `to_timestamp(${ms} / 1000.0)`)

  /** A project on a database of its own, with which `work` has to succeed. */
  const living = async (state: State, work: (project: LivingProject) => Promise<void>) => {
    const project = await LivingProject.create(state, dialect)
    await work(project).finally(() => project.database.remove())
  }

  const rows = async (project: LivingProject, query: string): Promise<Row[]> =>
    (await project.database.rows(query)).map(plain)
  const column = async (project: LivingProject, query: string) =>
    (await rows(project, query)).map((row) => Object.values(row)[0])
  const run = (project: LivingProject, ...statements: string[]) => project.database.run(...statements)

  /** As the code of the present state registers somebody. */
  const register = (project: LivingProject, name: string) => {
    const isB = project.state.endsWith('-b')
    return run(
      project,
      `INSERT INTO users (email, username, hashed_password, created_at${isB ? ', updated_at' : ''})
       VALUES ('${name}@example.com', '${name}', 'hash of ${name}', ${at(START)}${isB ? `, ${at(START)}` : ''})`,
    )
  }
  const userId = (name: string) => `(SELECT id FROM users WHERE username = '${name}')`
  /** As the code of the present state, of mode complete, starts a session. */
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
  /** The tokens that the code of the present state takes for live sessions. */
  const sessions = (project: LivingProject) =>
    column(
      project,
      project.state === 'complete-a'
        ? "SELECT token FROM tokens WHERE token_type = 'refresh' ORDER BY id"
        : 'SELECT token FROM refresh_tokens WHERE NOT is_revoked ORDER BY id',
    )
  /** As the code of the present state stores what it mails. */
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
  /** What the code of the present state would redeem. */
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
  /** As mode basic's code voids access tokens: from the next whole second on. */
  const endAccess = (project: LivingProject, name: string, seconds = 1) => {
    const next =
      dialect === 'sqlite'
        ? `(unixepoch() + ${seconds}) * 1000`
        : `date_trunc('second', now()) + interval '${seconds} seconds'`
    return run(project, `UPDATE users SET tokens_valid_from = ${next} WHERE username = '${name}'`)
  }

  return { at, living, rows, column, run, register, logIn, sessions, mail, redeemable, verified, endAccess }
}

/** A row as both databases say it: times in milliseconds, booleans as 0 and 1, numbers as numbers. */
function plain(row: Row): Row {
  const value = (each: unknown) => {
    if (each instanceof Date) return each.getTime()
    if (typeof each === 'boolean' || typeof each === 'bigint') return Number(each)
    return typeof each === 'string' && /^\d+$/.test(each) ? Number(each) : each
  }
  return Object.fromEntries(Object.entries(row).map(([key, each]) => [key, value(each)]))
}
