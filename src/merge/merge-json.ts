import { isDeepStrictEqual as isSame } from 'node:util'
import { isObject, type Json, type JsonObject, memberOf } from '../system/json.ts'

export interface JsonConflict {
  /** The keys that lead to the value. */
  readonly path: readonly string[]
  readonly disk: Json | undefined
  readonly next: Json | undefined
}

export interface JsonMerge {
  /** Holds the disk's value for each conflict; undefined if nothing is left. */
  readonly value: Json | undefined
  readonly conflicts: readonly JsonConflict[]
}

/**
 * Merges three versions of a JSON value. Objects are merged by key; lists and other values are compared as a whole. If
 * only one side changed a value, its version wins. If one side removed what the other changed, the disk's version wins,
 * but an object that one side lacks counts as empty there. Two different new values for one key are a conflict.
 * @param base as generated last time; undefined if it was not
 * @param disk as on disk; undefined if it is not there
 * @param next as generated now; undefined if it is not
 * @param path the keys that lead to the value
 */
export function mergeJson(
  base: Json | undefined,
  disk: Json | undefined,
  next: Json | undefined,
  path: readonly string[] = [],
): JsonMerge {
  if (isSame(disk, next) || isSame(next, base)) return { value: disk, conflicts: [] }
  if (isSame(disk, base)) return { value: next, conflicts: [] }
  if (isObjectOrAbsent(base) && isObjectOrAbsent(disk) && isObjectOrAbsent(next)) {
    return mergeObjects(base, disk, next, path)
  }
  if (disk === undefined || next === undefined) return { value: disk, conflicts: [] }
  return { value: disk, conflicts: [{ path, disk, next }] }
}

function mergeObjects(
  base: JsonObject | undefined,
  disk: JsonObject | undefined,
  next: JsonObject | undefined,
  path: readonly string[],
): JsonMerge {
  const merges = keysInOrder(disk ?? {}, next ?? {}).map(
    (key) =>
      [
        key,
        mergeJson(memberOf(base, key), memberOf(disk, key), memberOf(next, key), [...path, key]),
      ] as const,
  )
  const entries = merges.flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value] as const]))
  const isGone = entries.length === 0 && (!disk || !next)
  return {
    // Defines the keys instead of assigning them: a key "__proto__" would set the prototype (CWE-1321).
    value: isGone ? undefined : Object.fromEntries(entries),
    conflicts: merges.flatMap(([, { conflicts }]) => conflicts),
  }
}

const isObjectOrAbsent = (value: Json | undefined): value is JsonObject | undefined =>
  value === undefined || isObject(value)

/** The disk's keys in their order. A key that only `next` has follows its predecessor there. Sorted if both sides are. */
function keysInOrder(disk: JsonObject, next: JsonObject): string[] {
  const keys = Object.keys(disk)
  const isInOrder = isSorted(keys) && isSorted(Object.keys(next))
  let before = -1
  for (const key of Object.keys(next)) {
    const at = keys.indexOf(key)
    before = at < 0 ? before + 1 : at
    if (at < 0) keys.splice(before, 0, key)
  }
  return isInOrder ? keys.sort() : keys
}

const isSorted = (keys: readonly string[]): boolean =>
  keys.every((key, index) => index === 0 || (keys[index - 1] as string) < key)
