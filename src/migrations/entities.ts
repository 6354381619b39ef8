import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'

/** A row of a snapshot of Drizzle Kit 1.0: a table, a column, an index, … */
export const entitySchema = z.looseObject({
  entityType: z.string(),
  name: z.string().optional(),
  schema: z.string().optional(),
  table: z.string().optional(),
  columns: z.array(z.unknown()).optional(),
  columnsTo: z.array(z.unknown()).optional(),
})

/** A step of a snapshot of Drizzle Kit 1.0 on PostgreSQL: what differs from the previous one. */
export const deltaSchema = z.union([
  z.object({ op: z.literal('create'), row: entitySchema }),
  z.object({ op: z.literal('drop'), key: z.string() }),
  z.object({ op: z.enum(['alter', 'rename']), key: z.string(), set: entitySchema.partial() }),
])

export type Entity = z.output<typeof entitySchema>
export type Delta = z.output<typeof deltaSchema>

type Group = Record<string, Entity & { name: string }>

/** Entities by table and kind, as the tables of the snapshots of Drizzle Kit 0.31. */
export interface Grouped {
  tables: Record<string, { name: string; schema?: string | undefined; columns: Group; indexes: Group }>
  /** What belongs to no table. */
  others: Record<string, Entity>
}

const GROUPS = ['columns', 'indexes', 'fks', 'pks', 'uniques', 'checks', 'policies', 'privileges'] as const

/** Groups entities without changing them. */
export function grouped(entities: readonly Entity[]): Grouped {
  const rest = new Set(entities)
  const tables = entities.flatMap((table) => {
    const { entityType, schema, name } = table
    if (entityType !== 'tables' || name === undefined) return []
    rest.delete(table)
    const own = entities.filter((each) => each.table === name && each.schema === schema)
    const groups = GROUPS.map((group) => {
      const found = own.filter((each) => each.entityType === group && rest.delete(each))
      return [group, Object.fromEntries(found.map((each) => [nameOf(each), each]))]
    })
    return [[schema === undefined ? name : `${schema}.${name}`, { ...table, ...Object.fromEntries(groups) }]]
  })
  return {
    tables: Object.fromEntries(tables),
    others: Object.fromEntries(byKey([...rest])),
  }
}

/** The entities that were grouped. */
export function entitiesOf({ tables, others = {} }: { tables: object; others?: unknown }): Entity[] {
  const all = Object.values(tables as Record<string, Record<(typeof GROUPS)[number], Group>>)
  return [
    ...all.map((table): Entity => {
      const own = Object.entries(table).filter(([key]) => !GROUPS.some((group) => group === key))
      return { ...Object.fromEntries(own), entityType: 'tables' }
    }),
    ...GROUPS.flatMap((group) => all.flatMap((table) => Object.values(table[group]))),
    ...Object.values(others as Grouped['others']),
  ]
}

/** Drizzle Kit 0.31 named the foreign keys of migrations/. 1.0 has other names, and does not compare them. */
const nameOf = (entity: Entity): string =>
  entity.entityType === 'fks' && entity.nameExplicit === false
    ? [entity.table, ...(entity.columns ?? []), entity.tableTo, ...(entity.columnsTo ?? []), 'fk'].join('_')
    : (entity.name ?? keyOf(entity))

/** What identifies an entity of PostgreSQL that has no table, or whose name is unique in its schema. */
const IDENTITIES: Readonly<Record<string, readonly string[]>> = {
  schemas: ['name'],
  roles: ['name'],
  privileges: ['schema', 'table', 'grantor', 'grantee', 'type'],
  ...Object.fromEntries(
    ['tables', 'enums', 'indexes', 'sequences', 'views'].map((kind) => [kind, ['schema', 'name']]),
  ),
}

/** As Drizzle Kit writes it into deltas. */
const keyOf = (entity: Entity): string => {
  const members = IDENTITIES[entity.entityType] ?? ['schema', 'table', 'name']
  return `${entity.entityType}\0${JSON.stringify(members.map((member) => entity[member]))}`
}

/** The entities after a snapshot's deltas. */
export function withDeltas(entities: readonly Entity[], deltas: readonly Delta[]): readonly Entity[] {
  let all = byKey(entities)
  for (const delta of deltas) {
    if (delta.op === 'create') all.set(keyOf(delta.row), delta.row)
    else if (delta.op === 'drop') all.delete(delta.key)
    else {
      const before = all.get(delta.key)
      if (!before) continue
      const after: Entity = { ...before, ...delta.set, entityType: before.entityType }
      all = byKey([...all.values()].map((each) => (each === before ? after : followed(each, before, after))))
    }
  }
  return [...all.values()]
}

const byKey = (entities: readonly Entity[]) => new Map(entities.map((each) => [keyOf(each), each]))

/** An entity with the new name of what it belongs or refers to. The columns of an index keep theirs: nothing reads them. */
function followed(entity: Entity, before: Entity, after: Entity): Entity {
  const { entityType: kind, schema, name } = before
  const next = { ...entity }
  for (const [inSchema, inTable, columns] of [
    ['schema', 'table', 'columns'],
    ['schemaTo', 'tableTo', 'columnsTo'],
  ] as const) {
    if (kind === 'schemas' && entity[inSchema] === name) next[inSchema] = after.name
    if (kind === 'tables' && entity[inSchema] === schema && entity[inTable] === name)
      Object.assign(next, { [inSchema]: after.schema, [inTable]: after.name })
    if (kind === 'columns' && entity[inSchema] === schema && entity[inTable] === before.table)
      next[columns] = entity[columns]?.map((column) => (column === name ? after.name : column))
  }
  return next
}

/** The deltas from some entities to others. */
export function deltasBetween(before: readonly Entity[], after: readonly Entity[]): Delta[] {
  const [older, newer] = [byKey(before), byKey(after)]
  const dropped = [...older.keys()]
    .filter((key) => !newer.has(key))
    .map((key): Delta => ({ op: 'drop', key }))
  const others = [...newer].flatMap(([key, row]): Delta[] => {
    const old = older.get(key)
    if (!old) return [{ op: 'create', row }]
    const changed = Object.entries(row).filter(([member, value]) => !isDeepStrictEqual(value, old[member]))
    return changed.length > 0 ? [{ op: 'alter', key, set: Object.fromEntries(changed) }] : []
  })
  return [...dropped, ...others]
}
