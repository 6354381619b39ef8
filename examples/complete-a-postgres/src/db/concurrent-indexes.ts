import type pg from 'pg'
import { checkClient, isPooled } from './session.ts'

/** A statement that builds or drops an index while the table is written, with the name of the index. */
const form =
  /^(?:CREATE\s+(?:UNIQUE\s+)?|DROP\s+)INDEX\s+CONCURRENTLY\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?!ON\s)("[^"]+"|[\w.]+)/i

/** Drizzle Kit writes a comment before the statements of `generate --custom`. */
const withoutComment = (statement: string): string => statement.replace(/^(?:\s|--.*)+/, '')

/** Whether a migration has such a statement, which PostgreSQL does not allow in a transaction. */
export const isConcurrent = (statements: string[]): boolean =>
  statements.some((statement) => form.test(withoutComment(statement)))

/**
 * Runs a migration of such statements, without a transaction. If it is interrupted, it runs again from the start: it
 * skips what is done, and builds an index again that was left incomplete.
 * @param connect opens the connection; the caller's own must hold the lock of the migrations meanwhile
 * @throws Error if there are other statements, which would run twice
 */
export async function runConcurrently(connect: () => Promise<pg.Client>, sql: string[]): Promise<void> {
  const statements = sql.map(withoutComment).map((statement) => {
    const [, index] = form.exec(statement) ?? []
    if (index === undefined)
      throw new Error(
        `Write a migration of its own for this, because another statement is CONCURRENTLY: ${statement}`,
      )
    return { index, statement: repeatable(statement) }
  })
  const connection = await connect()
  try {
    // Not behind a pooler: the parameters would reach its other clients.
    if (!(await isPooled(connection))) {
      await connection.query('SET statement_timeout TO 0; SET lock_timeout TO 0')
      await connection.query(checkClient({ isLocal: false })).catch(() => {})
    }
    for (const { index, statement } of statements) {
      const invalid = 'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid'
      const { rowCount } = await connection.query(invalid, [index])
      if (rowCount !== 0) await connection.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`)
      await connection.query(statement)
    }
  } finally {
    await connection.end()
  }
}

const repeatable = (statement: string): string =>
  statement
    .replace(/^(CREATE\s.*?\sCONCURRENTLY)(?!\s+IF\s)/is, '$1 IF NOT EXISTS')
    .replace(/^(DROP\s.*?\sCONCURRENTLY)(?!\s+IF\s)/is, '$1 IF EXISTS')
