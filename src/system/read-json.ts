import type { Stats } from 'node:fs'
import type * as z from 'zod'
import { shorten } from './printing.ts'

/** What is wrong with a JSON file, as the end of a sentence that starts with its name: "is not JSON". */
export class JsonFault extends Error {
  /** The path to an invalid value, and the value; undefined if the whole text is invalid. */
  readonly at:
    | { readonly path: readonly PropertyKey[]; readonly reason: string; readonly value: unknown }
    | undefined
  /** How to fix it, if that is the same for every file. */
  readonly fix: string | undefined

  constructor(message: string, { at, fix }: Partial<Pick<JsonFault, 'at' | 'fix'>> = {}) {
    super(message)
    this.at = at
    this.fix = fix
  }
}

/**
 * Call before reading: a pipe or a device may never end.
 * @throws JsonFault for anything but a file of at most `maxBytes`
 */
export function refuseUnreadable(stats: Stats, maxBytes: number): void {
  if (!stats.isFile()) throw new JsonFault('is not a file')
  if (stats.size > maxBytes) throw new JsonFault(`is larger than ${maxBytes} bytes`)
}

/** Decodes UTF-8, without its byte order mark. @throws JsonFault for invalid UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new JsonFault('is not text')
  }
}

/**
 * Parses untrusted JSON and validates every member.
 * @param schema strict objects refuse unknown members
 * @param formatVersion the newest format version that this program supports, for files that have one
 * @throws JsonFault with a message of one line
 */
export function readJson<T extends z.ZodType>(
  text: string,
  schema: T,
  formatVersion = Infinity,
): z.output<T> {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\u{feff}/u, ''))
  } catch {
    throw new JsonFault('is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new JsonFault('must contain one JSON object')
  // zod drops this key before it checks for unknown ones, and code that copies it would set a prototype (CWE-1321).
  if (hasPrototypeKey(value)) throw new JsonFault('has the unknown key "__proto__"')
  const version = (value as { formatVersion?: unknown }).formatVersion
  if (typeof version === 'number' && version > formatVersion)
    throw new JsonFault('was written by a newer create-authsmith', { fix: 'Update create-authsmith.' })
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw faultOf(value, result.error.issues[0])
}

function hasPrototypeKey(value: object): boolean {
  const open = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Object.hasOwn(next, '__proto__')) return true
    for (const member of Object.values(next)) if (typeof member === 'object' && member) open.push(member)
  }
  return false
}

function faultOf(value: unknown, issue: z.core.$ZodIssue | undefined): JsonFault {
  const { path = [], message = 'is invalid' } = issue ?? {}
  const place = path.length > 0 ? ` at ${path.map((key) => shorten(String(key), 120)).join('.')}` : ''
  if (issue?.code === 'unrecognized_keys')
    return new JsonFault(`has the unknown key "${shorten(issue.keys[0] ?? '')}"${place}`)
  const reason = shorten(message, 120)
  const member = path.reduce<unknown>((parent, key) => (parent as Record<PropertyKey, unknown>)?.[key], value)
  return new JsonFault(`is damaged${place}: ${reason}`, { at: { path, reason, value: member } })
}
