import { memberOf } from '../system/json.ts'
import type { DatabaseSchema } from './database-schema.ts'
import type { Snapshot } from './folder.ts'
import type { Parts } from './locks.ts'

/**
 * The text columns in indexes that a database of an earlier version has: those of 0.1.0, and one that a switch to mode
 * basic added. All others have the collation "C" from the start.
 */
const KEYS = [
  { table: 'attempts', column: 'key', index: 'attempts_pkey', constraint: 'PRIMARY KEY' },
  { table: 'attempts', column: 'account', index: 'attempts_account' },
  { table: 'outbox', column: 'message_id', index: 'outbox_message_id_unique', constraint: 'UNIQUE' },
  { table: 'tokens', column: 'token', index: 'tokens_token_unique', constraint: 'UNIQUE' },
  { table: 'users', column: 'verified_email', index: 'users_verified_email_unique', constraint: 'UNIQUE' },
  { table: 'verification_codes', column: 'code', index: 'verification_codes_code' },
] as const

const COLLATED = 'text COLLATE "C"'

/**
 * Gives the columns of an earlier version the collation that they have in this one. PostgreSQL would build their indexes
 * again while it locks the table, but keeps an index that has the collation already. So this one is built first.
 * @param snapshots all of the folder, first to last
 * @param after the snapshot of the new state
 * @param next the snapshot of a new project in this state
 * @returns the statements of each part, the snapshot after them, and what the owner has to know
 */
export function collateKeys(
  snapshots: readonly Snapshot[],
  after: Snapshot,
  next: Snapshot,
  existing: DatabaseSchema,
): Parts & { after: Snapshot; notes: string[] } {
  const keys = KEYS.filter((key) => {
    const { table, column } = key
    if (!existing.has(table, column) || typeOf(after, table, column) === undefined) return false
    // A table that a switch left in the database is in an earlier snapshot, a column that it added in none.
    const types = snapshots.map((each) => typeOf(each, table, column))
    const type =
      types.findLast((each) => each !== undefined) ?? (hasIndex(key, existing) ? undefined : 'text')
    return type === 'text' && typeOf(next, table, column) === COLLATED
  })
  const changes = keys.map((key) => changeOf(key, existing))
  return {
    tables: changes.flatMap(({ tables }) => tables),
    indexes: changes.flatMap(({ indexes }) => indexes),
    constraints: changes.flatMap(({ constraints }) => constraints),
    after: keys.reduce(withCollation, after),
    notes:
      keys.length > 0
        ? [
            `the collation of ${keys.map(({ table, column }) => `${table}.${column}`).join(', ')} changes: before the start, drop views, triggers, generated columns and foreign keys of yours on them`,
          ]
        : [],
  }
}

type Key = (typeof KEYS)[number]

const constraintOf = (key: Key) => ('constraint' in key ? key.constraint : undefined)

const hasIndex = (key: Key, existing: DatabaseSchema): boolean =>
  constraintOf(key) === 'PRIMARY KEY' ||
  existing.hasIndex(key.index) ||
  existing.hasConstraint(key.table, key.index)

function changeOf(key: Key, existing: DatabaseSchema): Parts {
  const { table, column, index } = key
  const constraint = constraintOf(key)
  const change = `ALTER TABLE "${table}" ALTER COLUMN "${column}" SET DATA TYPE ${COLLATED};`
  if (!hasIndex(key, existing)) return { tables: [change], indexes: [], constraints: [] }
  // A name that no index of the owner's has: it would be taken for this one.
  const collated = `authsmith_${index}_c`
  const unique = constraint ? ' UNIQUE' : ''
  return {
    tables: [],
    indexes: [
      `CREATE${unique} INDEX CONCURRENTLY "${collated}" ON "${table}" USING btree ("${column}" COLLATE "C");`,
    ],
    constraints: [
      constraint ? `ALTER TABLE "${table}" DROP CONSTRAINT "${index}";` : `DROP INDEX "${index}";`,
      change,
      `ALTER INDEX "${collated}" RENAME TO "${index}";`,
      ...(constraint
        ? [`ALTER TABLE "${table}" ADD CONSTRAINT "${index}" ${constraint} USING INDEX "${index}";`]
        : []),
    ],
  }
}

const keyOf = (table: string): string => `public.${table}`

const typeOf = (snapshot: Snapshot | undefined, table: string, column: string): unknown =>
  memberOf(memberOf(snapshot?.tables, keyOf(table))?.columns, column)?.type

function withCollation(snapshot: Snapshot, { table, column }: Key): Snapshot {
  const key = keyOf(table)
  const found = memberOf(snapshot.tables, key)
  const definition = memberOf(found?.columns, column)
  if (!found || !definition) return snapshot
  const columns = { ...found.columns, [column]: { ...definition, type: COLLATED } }
  return { ...snapshot, tables: { ...snapshot.tables, [key]: { ...found, columns } } }
}
