import { createHash } from 'node:crypto'
import { memberOf } from '../../system/json.ts'
import type { Snapshot, SnapshotTable } from './folder.ts'

export type Keys = Readonly<Record<string, unknown>>

export interface SnapshotMerge {
  /** All snapshots of the folder, first to last. */
  readonly folder: readonly Snapshot[]
  /** As generated last time. */
  readonly base: Snapshot
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
  const removable = Object.entries(base.tables).filter(([, { name }]) => !keptTables.has(name))
  const ofBase = { ...base, tables: Object.fromEntries(removable) }
  const merged = mergeGroups(ofBase, mine, next, folder) as Snapshot
  const tables = Object.fromEntries(
    Object.entries(merged.tables).map(([key, table]): [string, SnapshotTable] => {
      const ofNext = memberOf(next.tables, key)
      const seen = folder.flatMap((snapshot) => memberOf(snapshot.tables, key) ?? [])
      if (!ofNext) return [key, table]
      return [key, mergeGroups(memberOf(base.tables, key), table, ofNext, seen) as SnapshotTable]
    }),
  )
  return {
    ...mine,
    ...merged,
    tables,
    ...(isKeys(next.internal) && { internal: mergeInternal(mine, next, tables) }),
  }
}

/** Merges each group of two tables, or of two snapshots. Anything else stays as in the folder. */
const mergeGroups = (base: Keys | undefined, mine: Keys, next: Keys, seen: readonly Keys[]): Keys =>
  Object.fromEntries(
    Object.entries({ ...next, ...mine }).map(([key, value]) => {
      const ofNext = memberOf(next, key)
      // Drizzle Kit's notes on renames.
      if (key === '_meta' || !isKeys(value) || !isKeys(ofNext)) return [key, value]
      // The owner cannot have removed what the folder never had.
      const known = namesIn(base, key).filter((name) => seen.some((one) => namesIn(one, key).includes(name)))
      return [key, mergeKeys(known, value, ofNext)]
    }),
  )

/** Merges the records of which indexes of `tables` are on an expression. Only SQLite has them. */
function mergeInternal(mine: Snapshot, next: Snapshot, tables: Snapshot['tables']): Keys {
  const names = Object.values(tables).flatMap(({ indexes }) => Object.keys(indexes))
  const [ofMine, ofNext] = [groupOf(mine, 'internal'), groupOf(next, 'internal')]
  const indexes = Object.entries({ ...groupOf(ofNext, 'indexes'), ...groupOf(ofMine, 'indexes') })
  return {
    ...ofNext,
    ...ofMine,
    indexes: Object.fromEntries(indexes.filter(([name]) => names.includes(name))),
  }
}

/** Merges three ways by key. For a key that both sides have, the folder's value wins. */
function mergeKeys(base: readonly string[], mine: Keys, next: Keys): Keys {
  const stays = Object.entries(mine).filter(([key]) => !base.includes(key) || Object.hasOwn(next, key))
  const comes = Object.entries(next).filter(([key]) => !base.includes(key) && !Object.hasOwn(mine, key))
  return Object.fromEntries([...stays, ...comes])
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

/** A group of a table, such as its columns; empty if the table or the group is missing. */
export function groupOf(table: Keys | undefined, group: string): Keys {
  const found = memberOf(table, group)
  return isKeys(found) ? found : {}
}

/** The names in a group of a table, such as its columns. */
export const namesIn = (table: Keys | undefined, group: string): string[] =>
  Object.keys(groupOf(table, group))
