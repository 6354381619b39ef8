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

/** What is not closed ends with the text. PostgreSQL nests comments. */
const COMMENT = String.raw`/\*[^]*?(?:\*/|$)`
const nested = (inner: string) => String.raw`/\*(?:[^*/]+|\*(?!/)|/(?!\*)|${inner})*(?:\*/|$)`

/** In two adjacent tokens if a quote in it is doubled, which makes no difference here. */
const STRING = "'[^']*'?"
const ESCAPED_STRING = String.raw`[eE]'(?:[^'\\]+|\\[^]|'')*'?`
const DOLLAR_STRING = String.raw`(\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$)[^]*?(?:\3|$)`

const TOKENS = {
  sqlite: tokens(COMMENT, '"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\\[[^\\]]*\\]?', STRING),
  postgres: tokens(
    nested(nested(COMMENT)),
    '"(?:[^"]|"")*"?',
    `${STRING}|${ESCAPED_STRING}|${DOLLAR_STRING}`,
  ),
}

/** Its first group is what is blank, the second a name, the last one a word: named groups are several times slower. */
function tokens(comment: string, name: string, string: string): RegExp {
  const word = String.raw`[\p{L}_][\p{L}\p{N}_$]*`
  const blank = String.raw`\s+|--[^\n]*|${comment}`
  return new RegExp(`(${blank})|(${name})|${string}|(${word})|\\d[\\w.]*|[^]`, 'gu')
}

/** Splits SQL into tokens, precisely enough to find the names in statements about tables. Never throws. */
export function tokensOf(sql: string, dialect: Dialect): Token[] {
  const found: Token[] = []
  const pattern = new RegExp(TOKENS[dialect])
  for (let match = pattern.exec(sql); match; match = pattern.exec(sql)) {
    const [text, blank, name] = match
    if (blank !== undefined) continue
    const kind = name !== undefined ? 'name' : match.at(-1) !== undefined ? 'word' : 'other'
    const quote = text.slice(-1)
    const value = kind === 'name' ? text.slice(1, -1).replaceAll(quote + quote, quote) : text
    found.push({ kind, value, start: match.index, end: pattern.lastIndex })
  }
  return found
}
