import type pg from 'pg'
import { checkClient, isPooled } from './session.ts'

/** A statement that builds or drops an index while the table is written, with the name of the index. */
const indexForm =
  /^(?:CREATE\s+(?:UNIQUE\s+)?|DROP\s+)INDEX\s+CONCURRENTLY\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?!ON\s)("[^"]+"|[\w.]+)/i

/** A statement that changes all rows of a table, with the name of the table and the condition for all ids. */
const batchForm = /^UPDATE\s+("[^"]+"|\w+)\s[\s\S]*\b(id BETWEEN 0 AND 9223372036854775807)\b/i

/** Rows that one statement changes. Other changes of them wait for it. */
const batchSize = 5_000

/** Drizzle Kit writes a comment before the statements of `generate --custom`. */
const withoutComment = (statement: string): string => statement.replace(/^(?:\s|--.*)+/, '')

/** Whether a migration has such a statement, which runs without a transaction. */
export const isConcurrent = (statements: string[]): boolean =>
  statements.map(withoutComment).some((statement) => indexForm.test(statement) || batchForm.test(statement))

/**
 * Runs a migration of such statements, without a transaction. If it is interrupted, it runs again from the start: it
 * skips an index that is done, and builds one again that was left incomplete. Changes of rows must allow that.
 * @param connect opens the connection; the caller's own must hold the lock of the migrations meanwhile
 * @throws Error if there are other statements, which would run twice
 */
export async function runConcurrently(connect: () => Promise<pg.Client>, sql: string[]): Promise<void> {
  const statements = sql.map(withoutComment).map((statement) => {
    const [, index] = indexForm.exec(statement) ?? []
    if (index !== undefined) return (client: pg.Client) => buildIndex(client, index, repeatable(statement))
    const [, table, ids] = batchForm.exec(statement) ?? []
    if (table !== undefined && ids !== undefined)
      return (client: pg.Client) => changeRows(client, table, ids, statement)
    throw new Error(
      `Write a migration of its own for this, because another statement is CONCURRENTLY or for all ids: ${statement}`,
    )
  })
  const connection = await connect()
  try {
    // Not behind a pooler: the parameters would reach its other clients.
    if (!(await isPooled(connection))) {
      await connection.query('SET statement_timeout TO 0; SET lock_timeout TO 0')
      await connection.query(checkClient({ isLocal: false })).catch(() => {})
    }
    for (const run of statements) await run(connection)
  } finally {
    await connection.end()
  }
}

async function buildIndex(connection: pg.Client, index: string, statement: string): Promise<void> {
  const invalid = 'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid'
  const { rowCount } = await connection.query(invalid, [index])
  if (rowCount !== 0) await connection.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`)
  await connection.query(statement)
}

const repeatable = (statement: string): string =>
  statement
    .replace(/^(CREATE\s.*?\sCONCURRENTLY)(?!\s+IF\s)/is, '$1 IF NOT EXISTS')
    .replace(/^(DROP\s.*?\sCONCURRENTLY)(?!\s+IF\s)/is, '$1 IF EXISTS')

/** Changes the rows in the order of their ids. */
async function changeRows(
  connection: pg.Client,
  table: string,
  ids: string,
  statement: string,
): Promise<void> {
  for (let first = 0; ; ) {
    const batch = `SELECT id FROM ${table} WHERE id >= ${first} ORDER BY id OFFSET ${batchSize - 1} LIMIT 1`
    const [row] = (await connection.query(batch)).rows
    const from = ids.replace('0', String(first))
    await connection.query(statement.replace(ids, row ? from.replace(/\d+$/, row.id) : from))
    if (!row) return
    first = Number(row.id) + 1
  }
}
