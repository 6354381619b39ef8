import { STATES, type State } from '../answers/variant.ts'
import { memberOf } from '../system/json.ts'
import type { Folder, Migration, Snapshot } from './drizzle-kit/folder.ts'
import { isKeys, type Keys } from './drizzle-kit/snapshot.ts'

/** The state that a migration of the generator is for. */
export const stateIn = ({ tag }: Migration): State | undefined =>
  STATES.find((state) => state === tag.replace(/^\d+_|-(?:indexes|constraints|rows)$/g, ''))

/** The first migration of a project. */
const INIT = '0000_init'

/** Whether the generator wrote a migration. The owner's have other names. */
const isGenerated = (migration: Migration): boolean =>
  stateIn(migration) !== undefined || migration.tag === INIT

/**
 * Adds to the generator's tables what its migrations in a folder added and the folder still has: an earlier version may
 * have generated it.
 */
export function withGenerated(snapshot: Snapshot, { migrations }: Folder): Snapshot {
  const last = migrations.at(-1)?.snapshot.tables
  const tables: Snapshot['tables'] = { ...snapshot.tables }
  migrations.forEach((migration, index) => {
    if (!isGenerated(migration)) return
    for (const [key, table] of Object.entries(migration.snapshot.tables)) {
      const [older, left, mine] = [migrations[index - 1]?.snapshot.tables, last, tables].map((all) =>
        memberOf(all, key),
      )
      if (left && mine) tables[key] = { ...mine, ...addGroups(mine, table, older, left) }
      else if (left && !older) tables[key] = table
    }
  })
  return { ...snapshot, tables }
}

/** The groups of `mine`, with what `table` has, `left` still has and `older` has not. */
function addGroups(mine: Keys, table: Keys, older: Keys | undefined, left: Keys): Keys {
  const isIn = (keys: Keys | undefined, group: string, name: string) => {
    const found = memberOf(keys, group)
    return isKeys(found) && Object.hasOwn(found, name)
  }
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, group]) => {
      const known = memberOf(mine, key)
      if (!isKeys(group) || !isKeys(known)) return []
      const added = Object.entries(group).filter(([name]) => !isIn(older, key, name) && isIn(left, key, name))
      return [[key, { ...Object.fromEntries(added), ...known }]]
    }),
  )
}
