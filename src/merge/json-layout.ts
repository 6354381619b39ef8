import { isObject, type Json } from '../system/json.ts'

/** A key and its value as they are in a text. */
interface Member {
  /** What precedes the key: line breaks and indentation. */
  readonly lead: string
  readonly key: string
  /** From the key to the value: `: `. */
  readonly colon: string
  readonly value: string
}

/**
 * Prints a value in the layout of a text. What has the same value there stays byte for byte: numbers that JavaScript
 * cannot hold, lists on one line, blank lines.
 * @param text a valid JSON text
 */
export function layOutLike(value: Json, text: string): string {
  const [, before = '', inner = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? []
  const indent = /\n([ \t]+)/.exec(text)?.[1] ?? '  '
  return before + print(value, inner, indent, '\n') + after
}

/** @param newline a line break and the indentation of the line in which the value starts */
function print(value: Json, text: string, indent: string, newline: string): string {
  const old: Json = JSON.parse(text)
  if (JSON.stringify(old) === JSON.stringify(value)) return text
  if (!isObject(value) || !isObject(old)) return printNew(value, indent, newline)
  const { members, end } = membersOf(text)
  const entries = Object.entries(value)
  if (entries.length === 0) return '{}'
  const present = new Map(members.map((member) => [JSON.parse(member.key), member]))
  const inside = newline + indent
  const lines = entries.map(([key, each], at) => {
    const { lead, ...member } = present.get(key) ?? { lead: undefined, key: JSON.stringify(key) }
    const colon = 'colon' in member ? member.colon : (members[0]?.colon ?? ': ')
    // A new first key is preceded by what the old first key was, and others by what separates the old ones.
    const space = lead ?? (at === 0 ? members[0] : (members[1] ?? members[0]))?.lead ?? inside
    const printed =
      'value' in member ? print(each, member.value, indent, inside) : printNew(each, indent, inside)
    return `${space}${member.key}${colon}${printed}`
  })
  return `{${lines.join(',')}${members.length > 0 ? end : newline}}`
}

const printNew = (value: Json, indent: string, newline: string): string =>
  JSON.stringify(value, null, indent).replaceAll('\n', newline)

/** The members of a JSON object, and the space before its closing brace. */
function membersOf(text: string): { members: Member[]; end: string } {
  const members: Member[] = []
  let at = 1
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const [taken = ''] = pattern.exec(text) ?? []
    at += taken.length
    return taken
  }
  for (;;) {
    const lead = take(/\s*/y)
    if (text[at] === '}') return { members, end: lead }
    const key = take(STRING)
    const colon = take(/\s*:\s*/y)
    const start = at
    skipValue(take)
    take(/\s*(?=,)/y)
    members.push({ lead, key, colon, value: text.slice(start, at) })
    take(/,?/y)
  }
}

const STRING = /"(?:[^"\\]|\\.)*"/y

/** Skips a string, number or word, or a whole object or list: everything up to the bracket that closes the first. */
function skipValue(take: (pattern: RegExp) => string): void {
  let depth = 0
  do {
    const token = take(/"(?:[^"\\]|\\.)*"|[[\]{}]|[^"[\]{},:\s]+|[\s,:]+/y)
    if (/^[[{]/.test(token)) depth += 1
    else if (/^[\]}]/.test(token)) depth -= 1
    if (token === '') return
  } while (depth > 0)
}
