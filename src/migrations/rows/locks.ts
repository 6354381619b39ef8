import { type Statement, statementsOf } from '../sql/statements.ts'
import type { Dialect } from '../sql/tokens.ts'
import { explained, type Rule } from './rule.ts'

/** The statements of a switch, by the migration that they need, in order. */
export interface Parts {
  readonly tables: string[]
  /** Without a transaction: the service's src/db/concurrent.ts runs them. */
  readonly indexes: string[]
  /** What needs the new indexes. */
  readonly constraints: string[]
}

/**
 * Splits the statements of a switch, so that none reads a table while it locks it. A normal CREATE INDEX or UNIQUE of an
 * existing table on PostgreSQL stops all requests to the tables of its transaction until the index is built.
 * @param sql one statement each, with its comment
 */
export function partsOf(sql: readonly string[], dialect: Dialect): Parts {
  const parts: Parts = { tables: [], indexes: [], constraints: [] }
  const statements = sql.flatMap((text) => statementsOf(text, dialect).map((each) => ({ ...each, text })))
  const created = new Set(statements.map((each) => each.kind === 'create-table' && each.table))
  const isNew = (statement: Statement) => 'table' in statement && created.has(statement.table)
  for (const statement of statements) {
    const { text } = statement
    const unique = UNIQUE.exec(text)?.groups
    if (dialect === 'sqlite' || isNew(statement)) parts.tables.push(text)
    else if (statement.kind === 'create-index')
      parts.indexes.push(text.replace(/^CREATE(?: UNIQUE)? INDEX\b/m, '$& CONCURRENTLY'))
    else if (unique) {
      const { table, name, columns } = unique
      parts.indexes.push(`CREATE UNIQUE INDEX CONCURRENTLY ${name} ON ${table} USING btree ${columns};`)
      parts.constraints.push(`ALTER TABLE ${table} ADD CONSTRAINT ${name} UNIQUE USING INDEX ${name};`)
    } else parts.tables.push(text)
  }
  return parts
}

/** A unique constraint as `schemaStatements` adds it. */
const UNIQUE =
  /^ALTER TABLE (?<table>"[^"]+") ADD CONSTRAINT (?<name>"[^"]+") UNIQUE ?(?<columns>\([^()]+\));$/

/**
 * Splits the rules for rows by the migration that they need, in order. On PostgreSQL, a change of all users has its own,
 * without a transaction: the service's src/db/concurrent.ts runs it for some users at a time, because in one statement,
 * every other change of a user would wait until all are done.
 * @returns the statements of each migration
 */
export function rowParts(rules: readonly Rule[], dialect: Dialect): string[][] {
  const parts: { isLarge: boolean; sql: string[] }[] = []
  for (const rule of rules) {
    const isLarge = rule.isLarge && dialect === 'postgres'
    if (isLarge !== parts.at(-1)?.isLarge) parts.push({ isLarge, sql: [] })
    parts.at(-1)?.sql.push(...explained(isLarge ? { ...rule, sql: rule.sql.map(withIds) } : rule))
  }
  return parts.map(({ sql }) => sql)
}

/** All ids: the service runs the statement for some of them at a time, and any other program at once. */
const ALL_IDS = 'id BETWEEN 0 AND 9223372036854775807'

/** An UPDATE of users, with the ids as a condition. */
const withIds = (sql: string): string =>
  sql.replace(/( WHERE (?<condition>[^;]+))?;$/, (_all, _where, condition) =>
    condition ? ` WHERE ${ALL_IDS} AND (${condition});` : ` WHERE ${ALL_IDS};`,
  )
