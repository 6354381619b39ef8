import { createHash } from 'node:crypto'
import { memberOf } from '../../system/json.ts'
import type { Snapshot, SnapshotTable } from './folder.ts'

export type Keys = Readonly<Record<string, unknown>>

export interface SnapshotMerge {
  /** All snapshots of the folder, first to last. At least one. */
  readonly folder: readonly Snapshot[]
  /** As generated last time. */
  readonly base: Snapshot | undefined
  /** As generated now. */
  readonly next: Snapshot
  /** Tables that stay in the code although the new state does not have them. */
  readonly keptTables: ReadonlySet<string>
}

/**
 * The folder's next snapshot: its last one, with what the switch adds and without what it removes. The owner's
 * additions and removals are kept. A definition that both have stays as in the folder; `drizzle-kit generate` finds a
 * difference to the code.
 */
export function mergeSnapshots({ folder, base, next, keptTables }: SnapshotMerge): Snapshot {
  const mine = folder.at(-1) as Snapshot
  const tables: Snapshot['tables'] = Object.fromEntries(
    Object.entries(
      mergeKeys(
        known(
          base?.tables,
          folder.map((snapshot) => snapshot.tables),
          (table) => !keptTables.has(table.name),
        ),
        mine.tables,
        next.tables,
      ),
    ).map(([key, table]) => {
      const seen = folder.flatMap((snapshot) => memberOf(snapshot.tables, key) ?? [])
      return [key, mergeTables(memberOf(base?.tables, key), table, memberOf(next.tables, key), seen)]
    }),
  )
  const content = {
    ...mergeGroups(base, mine, next, folder),
    tables,
    ...(isKeys(mine.internal) && { internal: mergeInternal(mine.internal, next.internal, tables) }),
  }
  return { ...mine, ...content }
}

/** Merges each group (columns, indexes, …) of a table that both sides have. */
const mergeTables = (
  base: SnapshotTable | undefined,
  mine: SnapshotTable,
  next: SnapshotTable | undefined,
  seen: readonly SnapshotTable[],
): SnapshotTable => (next ? (mergeGroups(base, mine, next, seen) as SnapshotTable) : mine)

function mergeGroups(base: Keys | undefined, mine: Keys, next: Keys, seen: readonly Keys[]): Keys {
  return Object.fromEntries(
    Object.entries({ ...next, ...mine }).map(([key, value]) => {
      const [ofBase, ofNext] = [memberOf(base, key), memberOf(next, key)]
      // Drizzle Kit's notes on renames.
      if (key === '_meta' || !isKeys(value) || !isKeys(ofNext)) return [key, value]
      const groups = seen.map((group) => memberOf(group, key)).filter(isKeys)
      return [key, mergeKeys(known(isKeys(ofBase) ? ofBase : undefined, groups), value, ofNext)]
    }),
  )
}

/** Merges Drizzle Kit's other records: in SQLite, which indexes are on an expression. */
function mergeInternal(mine: Keys, next: unknown, tables: Snapshot['tables']): Keys {
  const names = new Set(Object.values(tables).flatMap((table) => Object.keys(table.indexes)))
  const merged = { ...(isKeys(next) ? next : {}), ...mine }
  return Object.fromEntries(
    Object.entries(merged).map(([key, value]) => {
      const both = { ...(isKeys(next) ? (memberOf(next, key) ?? {}) : {}), ...(isKeys(value) ? value : {}) }
      const entries = Object.entries(both).filter(([name]) => key !== 'indexes' || names.has(name))
      return [key, Object.fromEntries(entries)]
    }),
  )
}

/** Merges three ways by key. For a key that both sides have, the folder's value wins. */
function mergeKeys<Value>(
  base: Readonly<Record<string, unknown>>,
  mine: Readonly<Record<string, Value>>,
  next: Readonly<Record<string, Value>>,
): Record<string, Value> {
  const stays = Object.entries(mine).filter(([key]) => !Object.hasOwn(base, key) || Object.hasOwn(next, key))
  const comes = Object.entries(next).filter(([key]) => !Object.hasOwn(base, key) && !Object.hasOwn(mine, key))
  return Object.fromEntries([...stays, ...comes])
}

/** The entries of `base` that the folder ever had. The owner cannot have removed any others. */
function known<Value>(
  base: Readonly<Record<string, Value>> = {},
  seen: readonly Keys[],
  isWanted: (value: Value) => boolean = () => true,
): Record<string, Value> {
  const entries = Object.entries(base).filter(
    ([key, value]) => isWanted(value) && seen.some((group) => Object.hasOwn(group, key)),
  )
  return Object.fromEntries(entries)
}

/** The snapshot with the ids of one that follows `last`. */
export function following(last: Snapshot, snapshot: Snapshot): Snapshot {
  const { id: _, prevId: __, ...content } = snapshot
  return { ...snapshot, id: idOf(last.id, content), prevId: last.id }
}

/** A UUID derived from the content, so that the same switch gives the same id. */
function idOf(prevId: string, content: unknown): string {
  const hash = createHash('sha256').update(prevId).update(JSON.stringify(content)).digest('hex')
  return hash.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5')
}

export const isKeys = (value: unknown): value is Keys => typeof value === 'object' && value !== null
