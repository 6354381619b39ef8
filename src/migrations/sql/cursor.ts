import type { Dialect, Token } from './tokens.ts'

/** Whether a token is this punctuation mark, outside strings and names. */
export const isMark = (token: Token, mark: string): boolean => token.kind === 'other' && token.value === mark

/** Words that change nothing here, in the order in which they come before a name. */
const OPTIONS = [['CONCURRENTLY'], ['COLUMN'], ['IF', 'NOT', 'EXISTS'], ['IF', 'EXISTS'], ['ONLY']]

/** Reads tokens in order. */
export class Cursor {
  #at = 0
  readonly #tokens: readonly Token[]
  readonly #dialect: Dialect

  constructor(tokens: readonly Token[], dialect: Dialect) {
    this.#tokens = tokens
    this.#dialect = dialect
  }

  get start(): number {
    return this.#tokens[0]?.start ?? 0
  }

  get end(): number {
    return this.#tokens.at(-1)?.end ?? 0
  }

  isAt(...words: readonly string[]): boolean {
    return words.every((word, index) => {
      const token = this.#tokens[this.#at + index]
      return token !== undefined && token.kind !== 'name' && token.value.toUpperCase() === word
    })
  }

  /** Skips these words or marks if they come next. @returns whether they did */
  skip(...words: readonly string[]): boolean {
    if (!this.isAt(...words)) return false
    this.#at += words.length
    return true
  }

  /** Reads an identifier, without options before it. Its case matters only if it is quoted, in PostgreSQL. */
  name(): string {
    for (const option of OPTIONS) this.skip(...option)
    const token = this.#tokens[this.#at++]
    if (!token) return ''
    return token.kind === 'name' && this.#dialect === 'postgres' ? token.value : token.value.toLowerCase()
  }

  /** Reads the name of a table or an index, without the default schema. */
  table(): string {
    const name = this.name()
    if (!this.skip('.')) return name
    const inner = this.name()
    return name === (this.#dialect === 'postgres' ? 'public' : 'main') ? inner : `${name}.${inner}`
  }

  /** What comes next, up to the end of the parentheses that it is in, split at commas outside inner ones. */
  parts(): Cursor[] {
    const parts: Token[][] = [[]]
    let depth = 0
    for (const token of this.#tokens.slice(this.#at)) {
      depth += isMark(token, '(') ? 1 : isMark(token, ')') ? -1 : 0
      if (depth < 0) break
      if (depth === 0 && isMark(token, ',')) parts.push([])
      else parts.at(-1)?.push(token)
    }
    return parts.filter((part) => part.length > 0).map((part) => new Cursor(part, this.#dialect))
  }
}
