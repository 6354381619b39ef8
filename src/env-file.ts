import { parseEnv } from 'node:util'

/**
 * One statement of a .env file, as Node reads it: a comment, a blank line or `NAME=value`, where a value in quotes may
 * span lines. Without a name where it is no assignment.
 */
const STATEMENT =
  /[ \t]*(?:(?:export[ \t]+)?(?<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?<value>"[^"]*"|'[^']*'|`[^`]*`|[^\n#]*?(?=[ \t\r]*(?:#[^\n]*)?(?:\n|$))))?[^\n]*(?:\n|$)/dy

/** Where the last assignment to a name stands: of several, Node takes the last. */
interface Place {
  /** The begin of its first line. */
  readonly line: number
  readonly value: readonly [start: number, end: number]
}

export type Settings = Partial<Record<string, string>>

/** The settings that a process gets from this text. */
export const readEnv = (text: string): Settings => parseEnv(text)

/** The value of a setting as it is written, quotes included; undefined where it is not there. */
export function writtenValue(text: string, name: string): string | undefined {
  const place = find(text, name)
  return place && text.slice(...place.value)
}

/**
 * Gives a setting another value, in the line where it stands; whatever else is in that line stays.
 * @param comment lines that go above it
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

/** Adds a paragraph at the end. */
export function appendParagraph(text: string, lines: readonly string[]): string {
  const end = lineEnd(text)
  const gap = text === '' ? '' : text.endsWith('\n') ? end : end + end
  return text + gap + lines.map((line) => line + end).join('')
}

/**
 * How a value is written so that Node reads it back as it is.
 * @param written how it was written before: stays, where it can
 * @returns undefined where no kind of quote does it
 */
export function spell(value: string, written = value): string | undefined {
  const spellings = [written, value, `'${value}'`, `"${value}"`, `\`${value}\``]
  return spellings.find((text) => readEnv(`NAME=${text}\nNEXT=`).NAME === value)
}

/** Carriage returns are kept: the file of somebody who works on Windows. */
const lineEnd = (text: string): string => (/^[^\n]*\r\n/.test(text) ? '\r\n' : '\n')

function find(text: string, name: string): Place | undefined {
  let found: Place | undefined
  STATEMENT.lastIndex = 0
  while (STATEMENT.lastIndex < text.length) {
    const match = STATEMENT.exec(text)
    const value = match?.indices?.groups?.value
    if (match?.groups?.name === name && value) found = { line: match.index, value }
  }
  return found
}
