import { isObject, type Json, type JsonObject, sameJson } from './json.ts'
import { mergeJson } from './merge-json.ts'
import { type MergedText, mergeText } from './merge-text.ts'

/**
 * Merges three texts of JSON by key, so that two lines side by side that mean different keys are no conflict.
 * @returns undefined where one of the texts is no JSON object (a comment in it, for instance): it can be merged by line
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
  // Keeps the layout where the lines alone lead to the same values.
  if (byLine.conflicts === 0 && sameJson(parseObject(byLine.text), value) && isPlain(byLine.text))
    return byLine

  const yours = layOut(value, disk)
  const ours = layOut(
    conflicts.reduce((whole, { path, next }) => replace(whole, path, next), value),
    disk,
  )
  // They differ in nothing but the conflicts.
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

/** Whether a text of JSON holds nothing but its value and blanks: no key twice, which a parser would not show. */
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

/** As the disk indents, and with its end. */
function layOut(value: Json, disk: string): string {
  const indent = /\n([ \t]+)/.exec(disk)?.[1] ?? '  '
  return JSON.stringify(value, null, indent) + (/\n*$/.exec(disk)?.[0] ?? '')
}
