import type { AddOn } from '../answers/add-ons.ts'
import { STATES, type State } from '../answers/variant.ts'
import { memberOf } from '../system/json.ts'
import type { Folder, Migration, Snapshot } from './drizzle-kit/folder.ts'
import { isKeys, type Keys } from './drizzle-kit/snapshot.ts'

/** The state that a migration of the generator is for. */
export const stateIn = ({ tag }: Migration): State | undefined =>
  STATES.find((state) => state === tag.replace(/^\d+_|-(?:indexes|constraints|rows)$/g, ''))

/** The name of the migration that takes add-ons out of the schema. Their tables stay in the database. */
export const without = (addOns: readonly AddOn[]): string => `without-${addOns.join('-')}`

/** Whether the generator wrote a migration. The owner's have other names. @param ever the add-ons whose tables exist */
function isGenerated(migration: Migration, ever: readonly AddOn[]): boolean {
  const name = migration.tag.replace(/^\d+_(?:without-)?|-(?:indexes|constraints)$/g, '')
  const isAddOn = ever.some((addOn) => name === addOn || name.startsWith(`${addOn}-`))
  return isAddOn || stateIn(migration) !== undefined || migration.tag === '0000_init'
}

/**
 * Adds to the generator's snapshot what its migrations in a folder added and the folder still has: an earlier version
 * may have generated it.
 */
export const withGenerated = (snapshot: Snapshot, { migrations }: Folder, ever: readonly AddOn[]): Snapshot =>
  migrations.reduce((mine, migration, index): Snapshot => {
    const left = (migrations.at(-1) ?? migration).snapshot
    const older = migrations[index - 1]?.snapshot
    return isGenerated(migration, ever) ? (add(mine, migration.snapshot, older, left) as Snapshot) : mine
  }, snapshot)

/** `mine`, with what `written` has, `left` still has and `older` has not, and so in each member that all have. */
function add(mine: Keys, written: Keys, older: Keys | undefined, left: Keys): Keys {
  const members = Object.entries(written).flatMap(([key, value]) => {
    const [ofMine, ofOlder, ofLeft] = [mine, older, left].map((keys) => memberOf(keys, key))
    if (ofMine === undefined) return ofLeft !== undefined && ofOlder === undefined ? [[key, value]] : []
    if (!isKeys(value) || !isKeys(ofMine) || !isKeys(ofLeft)) return []
    return [[key, add(ofMine, value, isKeys(ofOlder) ? ofOlder : undefined, ofLeft)]]
  })
  return { ...mine, ...Object.fromEntries(members) }
}
