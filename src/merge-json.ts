import { isObject, type Json, type JsonObject, sameJson } from './json.ts'

export interface JsonConflict {
  /** The keys that lead to the value. */
  readonly path: readonly string[]
  readonly disk: Json | undefined
  readonly next: Json | undefined
}

export interface JsonMerge {
  /** Holds the disk's value wherever there is a conflict; undefined where nothing is left. */
  readonly value: Json | undefined
  readonly conflicts: readonly JsonConflict[]
}

/**
 * Merges three ways by key. Objects are merged key by key, lists and single values are compared as wholes.
 * A side that changed nothing gives way to the other. What the disk has not any more stays away, and what it changed stays
 * where `next` has it no more; only two different values for one key are a conflict. An object that one side has not
 * counts as an empty one there, so that only what the other side changed in it is left.
 * @param base as generated last time; undefined where it was not
 * @param disk as it is now; undefined where it is not there
 * @param next as generated now; undefined where it is not any more
 */
export function mergeJson(base: Json | undefined, disk: Json | undefined, next: Json | undefined): JsonMerge {
  return mergeAt([], base, disk, next)
}

function mergeAt(
  path: readonly string[],
  base: Json | undefined,
  disk: Json | undefined,
  next: Json | undefined,
): JsonMerge {
  if (sameJson(disk, next) || sameJson(next, base)) return { value: disk, conflicts: [] }
  if (sameJson(disk, base)) return { value: next, conflicts: [] }
  if (isObjectOrAbsent(base) && isObjectOrAbsent(disk) && isObjectOrAbsent(next)) {
    return mergeObjects(path, base, disk, next)
  }
  if (disk === undefined || next === undefined) return { value: disk, conflicts: [] }
  return { value: disk, conflicts: [{ path, disk, next }] }
}

function mergeObjects(
  path: readonly string[],
  base: JsonObject = {},
  disk: JsonObject | undefined,
  next: JsonObject | undefined,
): JsonMerge {
  const merges = keysInOrder(disk ?? {}, next ?? {}).map(
    (key) => [key, mergeAt([...path, key], own(base, key), own(disk, key), own(next, key))] as const,
  )
  const entries = merges.flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value] as const]))
  const isGone = entries.length === 0 && (!disk || !next)
  return {
    // Defines the keys instead of assigning them: a key "__proto__" would set the prototype (CWE-1321).
    value: isGone ? undefined : Object.fromEntries(entries),
    conflicts: merges.flatMap(([, { conflicts }]) => conflicts),
  }
}

function isObjectOrAbsent(value: Json | undefined): value is JsonObject | undefined {
  return value === undefined || isObject(value)
}

function own(object: JsonObject | undefined, key: string): Json | undefined {
  return object && Object.hasOwn(object, key) ? object[key] : undefined
}

/** The disk's keys in its order, each key that only `next` has after the one before it there; sorted where both are. */
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

function isSorted(keys: readonly string[]): boolean {
  return keys.every((key, index) => index === 0 || (keys[index - 1] as string) < key)
}
