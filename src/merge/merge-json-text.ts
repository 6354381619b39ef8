import { isDeepStrictEqual } from 'node:util'
import { type Node, parseTree } from 'jsonc-parser'
import { isObject, type Json, parseObject } from '../system/json.ts'
import { layOutLike } from './json-layout.ts'
import { mergeJson } from './merge-json.ts'
import { type MergedText, mergeText } from './merge-text.ts'

/**
 * Merges three JSON texts by key, so that changes of different keys on adjacent lines do not conflict.
 * @returns undefined if one of the texts is not a JSON object (it has comments, for instance), or has a key twice, which
 *   would disappear: merge it by line
 */
export function mergeJsonText(
  base: string,
  disk: string,
  next: string,
  label: string,
): MergedText | undefined {
  const [old, own, ours] = [base, disk, next].map(parse)
  if (!old || !own || !ours) return undefined
  const { value = {}, conflicts } = mergeJson(old, own, ours)
  const byLine = mergeText(base, disk, next, label)
  // Keeps the layout if merging by line leads to the same values.
  if (byLine.conflicts === 0 && isDeepStrictEqual(parse(byLine.text), value)) return byLine
  const resolved = conflicts.reduce((whole, { path, next }) => replace(whole, path, next), value)
  // They differ only in the conflicts.
  return mergeText(undefined, layOutLike(value, disk), layOutLike(resolved, disk), label)
}

const parse = (text: string) => (hasTwins(parseTree(text)) ? undefined : parseObject(text))

function hasTwins({ type, children = [] }: Partial<Node> = {}): boolean {
  const keys = type === 'object' ? children.map(({ children: [key] = [] }) => key?.value) : []
  return new Set(keys).size < keys.length || children.some(hasTwins)
}

function replace(value: Json, [key, ...rest]: readonly string[], by: Json | undefined): Json {
  if (key === undefined || !isObject(value)) return by ?? null
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === key ? replace(member, rest, by) : member]),
  )
}
