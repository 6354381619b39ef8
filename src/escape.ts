import { basename, extname } from 'node:path/posix'

/** Puts a value into a file of one format so that it stays a value: it can neither end its string nor its line. */
export type Escaper = (value: string) => string

const CONTROL = /\p{Cc}/u
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Text as it may be shown in a terminal or a log: control characters, ANSI escapes, bidirectional overrides
 * and other invisible characters become `\u{…}`, so that a hostile name can neither repaint the screen nor
 * pass for another name (CWE-150, "Trojan Source" CVE-2021-42574).
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
}

/** The same for a JSON document: the escapes are JSON's own, so the document keeps its meaning and its lines. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN, (char) => (char === '\n' ? char : char.split('').map(jsonEscape).join('')))
}

function jsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A value as a message quotes it: not longer than a line. */
export function shorten(text: string, length = 80): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

/** A word as a POSIX shell takes it; only for commands that are shown, none is ever run through a shell. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

// A JSON string's escapes are those of TypeScript and of YAML's double-quoted strings too (YAML 1.2, section 1.3).
const typescript: Escaper = (value) => jsonContent(value).replaceAll("'", String.raw`\'`)

const markdown: Escaper = (value) => oneLine(value).replace(/[\\`*[\]<>|]/g, String.raw`\$&`)

const unquoted: Escaper = (value) => {
  if (/["'`$\\]/.test(value)) throw new Error(`cannot be written unquoted: ${visible(value)}`)
  return oneLine(value)
}

const formats = new Map<string, Escaper>([
  ['.ts', typescript],
  ['.js', typescript],
  ['.json', jsonContent],
  ['.yaml', jsonContent],
  ['.yml', jsonContent],
  ['.md', markdown],
  ['.env.example', unquoted],
  ['Dockerfile', unquoted],
])

/** The escaper for the format of `path`. Throws for a format that has none: better than a guess. */
export function escaperFor(path: string): Escaper {
  const escaper = formats.get(basename(path)) ?? formats.get(extname(path))
  if (!escaper) throw new Error(`${path}: templates of this format have no escaper`)
  return escaper
}

function jsonContent(value: string): string {
  return visibleJson(JSON.stringify(value).slice(1, -1))
}

function oneLine(value: string): string {
  if (CONTROL.test(value)) throw new Error(`holds a control character: ${visible(value)}`)
  return value
}
