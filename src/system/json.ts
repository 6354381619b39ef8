export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/** Whether a value is an object, and neither an array nor null. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @returns undefined if the text is not a JSON object */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The value of a key; undefined for inherited keys (CWE-1321). */
export const memberOf = <Value>(object: Readonly<Record<string, Value>> | undefined, key: string) =>
  object && Object.hasOwn(object, key) ? object[key] : undefined

/** A copy with the keys in alphabetical order. */
export const sortedByKey = <Value>(object: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

/** JSON that is readable in a diff. */
export const jsonText = (value: object): string => `${JSON.stringify(value, null, 2)}\n`
