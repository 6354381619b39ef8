import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, type JsonObject } from '../system/json.ts'
import { layOutLike } from './json-layout.ts'
import { mergeJson } from './merge-json.ts'
import { type MergedText, mergeText } from './merge-text.ts'

/**
 * Merges three JSON texts by key, so that changes of different keys on adjacent lines do not conflict.
 * @returns undefined if one of the texts is not a JSON object (it has comments, for instance): merge it by line
 */
export function mergeJsonText(
  base: string,
  disk: string,
  next: string,
  label: string,
): MergedText | undefined {
  const values = [base, disk, next].map(parseObject)
  if (values.some((value) => value === undefined)) return undefined
  const { value = {}, conflicts } = mergeJson(values[0], values[1], values[2])
  const byLine = mergeText(base, disk, next, label)
  // Keeps the layout if merging by line leads to the same values.
  if (byLine.conflicts === 0 && isDeepStrictEqual(parseObject(byLine.text), value) && isPlain(byLine.text))
    return byLine

  const yours = layOutLike(value, disk)
  const ours = layOutLike(
    conflicts.reduce((whole, { path, next }) => replace(whole, path, next), value),
    disk,
  )
  // They differ only in the conflicts.
  return mergeText(undefined, yours, ours, label)
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a JSON text holds only its value and whitespace: a duplicate key would disappear when it is parsed. */
function isPlain(text: string): boolean {
  const withoutBlanks = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
  return withoutBlanks === JSON.stringify(JSON.parse(text))
}

function replace(value: Json, [key, ...rest]: readonly string[], by: Json | undefined): Json {
  if (key === undefined || !isObject(value)) return by ?? null
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === key ? replace(member, rest, by) : member]),
  )
}
