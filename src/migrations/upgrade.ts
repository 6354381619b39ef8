import type { Files } from '../system/file-system.ts'
import { type Entity, grouped } from './entities.ts'
import type { Folder, Snapshot } from './folder.ts'
import { LATER_INIT } from './generated.ts'
import { LATER, laterFiles } from './later.ts'
import type { Dialect } from './sql/tokens.ts'

/** A table in the snapshots of blueprints/, which Drizzle Kit 0.31 wrote. */
interface Table {
  name: string
  columns: Record<string, Column>
  indexes: Record<string, { name: string; columns: (string | Keyed)[]; isUnique: boolean; where?: string }>
  foreignKeys: Record<string, Record<'name' | 'tableTo' | 'onUpdate' | 'onDelete', string> & Between>
  uniqueConstraints: Record<string, { name: string; columns: string[]; nullsNotDistinct: boolean }>
}

type Column = { name: string; type: string; primaryKey: boolean; notNull: boolean } & {
  default?: unknown
  identity?: { schema: string; cache: string }
}
type Keyed = { expression: string; isExpression: boolean; asc: boolean; nulls: string }
type Between = { columnsFrom: string[]; columnsTo: string[] }

/**
 * A snapshot of blueprints/ as Drizzle Kit 1.0 writes it for the same tables: for any difference, the owner's next
 * `db:generate` would build an index or a column again. Knows only what blueprints/ uses.
 */
export function upgraded({ id, tables }: Snapshot, dialect: Dialect): Snapshot {
  const entities = Object.values(tables).flatMap((table) => entitiesIn(table as unknown as Table, dialect))
  return { id, ...LATER[dialect], ...grouped(entities) }
}

/** The first migration of a new project in the layout of Drizzle Kit 1.0. */
export function upgradedFiles({ dialect, migrations: [first] }: Folder): Files {
  const snapshot = upgraded(first.snapshot, dialect)
  return laterFiles(dialect, { tag: LATER_INIT, sql: first.sql, snapshot }, undefined)
}

function entitiesIn(table: Table, dialect: Dialect): Entity[] {
  const isSqlite = dialect === 'sqlite'
  const schema = isSqlite ? {} : { schema: 'public' }
  const of = { ...schema, table: table.name }
  const columns = Object.values(table.columns)
  const keys = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name)
  return [
    { entityType: 'tables', ...schema, name: table.name, ...(isSqlite ? {} : { isRlsEnabled: false }) },
    ...columns.map(({ primaryKey, default: value, identity, ...column }) => ({
      ...{ entityType: 'columns', ...of, ...column, generated: null },
      default: value === undefined ? null : String(value),
      ...(isSqlite ? { notNull: column.notNull && !primaryKey } : postgresColumn(column.type, identity)),
    })),
    ...Object.values(table.indexes).map(({ name, isUnique, where, ...index }) => ({
      ...{ entityType: 'indexes', ...of, name, isUnique },
      columns: index.columns.map((each) =>
        typeof each === 'string'
          ? { value: each, isExpression: !Object.hasOwn(table.columns, each) }
          : postgresKey(each),
      ),
      where:
        where === undefined ? null : conditionOf(isSqlite ? where : where.replaceAll(`"${table.name}".`, '')),
      ...(isSqlite
        ? { origin: 'manual' }
        : { nameExplicit: true, with: '', method: 'btree', concurrently: false }),
    })),
    ...Object.values(table.foreignKeys).map(({ name, columnsFrom, tableTo, columnsTo, ...key }) => ({
      ...{ entityType: 'fks', ...of, name, nameExplicit: false, columns: columnsFrom, tableTo, columnsTo },
      ...(isSqlite ? {} : { schemaTo: 'public' }),
      onUpdate: key.onUpdate.toUpperCase(),
      onDelete: key.onDelete.toUpperCase(),
    })),
    ...keys.map((key) => ({
      ...{ entityType: 'pks', ...of, name: `${table.name}_${isSqlite ? 'pk' : 'pkey'}` },
      ...{ columns: [key], nameExplicit: false },
    })),
    ...Object.values(table.uniqueConstraints).map((unique) => ({
      ...{ entityType: 'uniques', ...of, ...unique, nameExplicit: true },
    })),
  ]
}

function postgresColumn(type: string, identity: Column['identity']) {
  const { schema: _, ...sequence } = identity ?? {}
  return {
    type: type.replace('timestamp (', 'timestamp('),
    typeSchema: null,
    dimensions: 0,
    identity: identity ? { ...sequence, cache: Number(identity.cache) } : null,
  }
}

const postgresKey = ({ expression, isExpression, asc, nulls }: Keyed) => ({
  ...{ value: expression, isExpression, asc, nullsFirst: nulls !== 'last', opclass: null },
})

/** With the parentheses that Drizzle 1.0 writes around `is not null`. */
const conditionOf = (where: string): string => where.replaceAll(/(?:"\w+"\.)?"\w+" is not null/g, '($&)')
