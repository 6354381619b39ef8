import type { Database } from '../../answers/variant.ts'

/** The SQL that a database understands. */
export type Dialect = Database

/** A token of SQL. Whitespace and comments have none. */
export interface Token {
  /** `name` is quoted, `word` is not; everything else is `other`. */
  readonly kind: 'word' | 'name' | 'other'
  /** A name without its quotes; anything else as written. */
  readonly value: string
  readonly start: number
  readonly end: number
}

const BLANK = /\s+|--[^\n]*/y
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy
const NUMBER = /\d[\w.]*/y
/**
 * The start of a dollar-quoted string in PostgreSQL, such as the body of a function. It ends with the same characters.
 */
const DOLLAR = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy
const NAME_QUOTES = { sqlite: '"`[', postgres: '"' }

/** Splits SQL into tokens, precisely enough to find the names in statements about tables. Never throws. */
export function tokensOf(sql: string, dialect: Dialect): Token[] {
  const tokens: Token[] = []
  let at = 0
  const lengthAt = (pattern: RegExp): number => {
    pattern.lastIndex = at
    return pattern.exec(sql)?.[0].length ?? 0
  }
  const take = (kind: Token['kind'], end: number) => {
    const text = sql.slice(at, end)
    tokens.push({ kind, value: kind === 'name' ? unquoted(text) : text, start: at, end })
    at = end
  }
  while (at < sql.length) {
    const first = sql.charAt(at)
    const blank = lengthAt(BLANK)
    const dollar = dialect === 'postgres' ? lengthAt(DOLLAR) : 0
    if (blank > 0) at += blank
    else if (sql.startsWith('/*', at)) at = endOfComment(sql, at, dialect)
    else if (NAME_QUOTES[dialect].includes(first)) take('name', endOfQuoted(sql, at))
    else if (first === "'") take('other', endOfQuoted(sql, at))
    else if (dialect === 'postgres' && /^e'/i.test(sql.slice(at, at + 2)))
      take('other', endOfQuoted(sql, at + 1, true))
    else if (dollar > 0) take('other', endOfDollarString(sql, at, dollar))
    else if (lengthAt(WORD) > 0) take('word', at + lengthAt(WORD))
    else take('other', at + (lengthAt(NUMBER) || 1))
  }
  return tokens
}

/** The end of the quoted text that starts here. A doubled quote stands for the quote itself. */
function endOfQuoted(sql: string, start: number, hasBackslashes = false): number {
  const open = sql.charAt(start)
  const close = open === '[' ? ']' : open
  for (let at = start + 1; at < sql.length; at += 1) {
    if (hasBackslashes && sql.charAt(at) === '\\') at += 1
    else if (sql.charAt(at) !== close) continue
    else if (open === '[' || sql.charAt(at + 1) !== close) return at + 1
    else at += 1
  }
  return sql.length
}

function unquoted(quoted: string): string {
  const quote = quoted.charAt(0)
  const inner = quoted.slice(1, -1)
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote)
}

/** PostgreSQL nests comments, SQLite does not. */
function endOfComment(sql: string, start: number, dialect: Dialect): number {
  const marks = /\/\*|\*\//g
  marks.lastIndex = start + 2
  let depth = 1
  for (let mark = marks.exec(sql); mark; mark = marks.exec(sql)) {
    if (mark[0] === '*/') depth -= 1
    else if (dialect === 'postgres') depth += 1
    if (depth === 0) return marks.lastIndex
  }
  return sql.length
}

function endOfDollarString(sql: string, start: number, tagLength: number): number {
  const tag = sql.slice(start, start + tagLength)
  const end = sql.indexOf(tag, start + tagLength)
  return end < 0 ? sql.length : end + tagLength
}
