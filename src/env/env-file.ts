import { parseEnv } from 'node:util'

/**
 * One statement of a .env file, as Node reads it: a comment, a blank line or `NAME=value`. A quoted value may span
 * lines. The group `name` is undefined if the statement is not an assignment.
 */
const STATEMENT =
  /[ \t]*(?:(?:export[ \t]+)?(?<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?<value>"[^"]*"|'[^']*'|`[^`]*`|[^\n#]*?(?=[ \t\r]*(?:#[^\n]*)?(?:\n|$))))?[^\n]*(?:\n|$)/dgy

export type Settings = Partial<Record<string, string>>

/** The settings that Node reads from this text. */
export const readEnv = (text: string): Settings => parseEnv(text)

/** The value of a setting as written, quotes included; undefined if it is not set. */
export function writtenValue(text: string, name: string): string | undefined {
  const place = find(text, name)
  return place && text.slice(...place.value)
}

/** The settings whose unquoted value ends at a `#`, although no space makes that a comment. */
export const cutSettings = (text: string): string[] =>
  Object.keys(readEnv(text)).filter((name) => {
    const [start = 0, end = 0] = find(text, name)?.value ?? []
    const rest = text.slice(end, end + 2)
    return start < end
      ? !/["'`]/.test(text[start] ?? '') && rest[0] === '#'
      : /^=#\S/.test(text[start - 1] + rest)
  })

/**
 * Changes the value of a setting in place. The rest of the line stays.
 * @param comment lines to insert above it
 */
export function changeValue(
  text: string,
  name: string,
  value: string,
  comment: readonly string[] = [],
): string {
  const place = find(text, name)
  if (!place) return text
  const [start, end] = place.value
  const above = comment.map((line) => line + lineEnd(text)).join('')
  return text.slice(0, place.line) + above + text.slice(place.line, start) + value + text.slice(end)
}

export function appendParagraph(text: string, lines: readonly string[]): string {
  const end = lineEnd(text)
  const gap = text === '' ? '' : text.endsWith('\n') ? end : end + end
  return text + gap + lines.map((line) => line + end).join('')
}

/**
 * Quotes a value so that Node reads back the same value.
 * @param written how it was written before, which is preferred
 * @returns undefined if no kind of quote works
 */
export function spell(value: string, written = value): string | undefined {
  const spellings = [written, value, `'${value}'`, `"${value}"`, `\`${value}\``]
  return spellings.find((text) => readEnv(`NAME=${text}\nNEXT=`).NAME === value)
}

/** Carriage returns are kept, because the file may come from Windows. */
const lineEnd = (text: string): string => (/^[^\n]*\r\n/.test(text) ? '\r\n' : '\n')

/** Where a setting is assigned: its first line, and its value. Of several assignments the last counts, as in Node. */
function find(text: string, name: string) {
  const match = [...text.matchAll(STATEMENT)].findLast(({ groups }) => groups?.name === name)
  const value = match?.indices?.groups?.value
  return value && { line: match.index, value }
}
