import type { Dialect, Token } from './tokens.ts'

/** Whether a token is this punctuation mark, outside strings and names. */
export const isMark = (token: Token | undefined, mark: string): boolean =>
  token?.kind === 'other' && token.value === mark

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
      return token?.kind === 'word' && token.value.toUpperCase() === word
    })
  }

  /** Skips these words if they come next. @returns whether they did */
  skip(...words: readonly string[]): boolean {
    if (!this.isAt(...words)) return false
    this.#at += words.length
    return true
  }

  /** Reads an identifier. Its case matters only if it is quoted, in PostgreSQL. */
  name(): string {
    const token = this.#tokens[this.#at++]
    if (!token) return ''
    return token.kind === 'name' && this.#dialect === 'postgres' ? token.value : token.value.toLowerCase()
  }

  /** Reads the name of a table or an index, without the default schema. */
  table(): string {
    const name = this.name()
    if (!isMark(this.#tokens[this.#at], '.')) return name
    this.#at += 1
    const inner = this.name()
    return name === (this.#dialect === 'postgres' ? 'public' : 'main') ? inner : `${name}.${inner}`
  }

  tables(): string[] {
    return this.parts().map((part) => part.table())
  }

  /** The content of the parentheses that come next; empty if none do. */
  inParentheses(): Cursor {
    if (!isMark(this.#tokens[this.#at], '(')) return new Cursor([], this.#dialect)
    const inside = this.#tokens.slice(this.#at + 1)
    let depth = 1
    const end = inside.findIndex((token) => {
      depth += isMark(token, '(') ? 1 : isMark(token, ')') ? -1 : 0
      return depth === 0
    })
    return new Cursor(end < 0 ? inside : inside.slice(0, end), this.#dialect)
  }

  /** The remaining tokens, split at commas outside parentheses. */
  parts(): Cursor[] {
    const parts: Token[][] = [[]]
    let depth = 0
    for (const token of this.#tokens.slice(this.#at)) {
      depth += isMark(token, '(') ? 1 : isMark(token, ')') ? -1 : 0
      if (depth === 0 && isMark(token, ',')) parts.push([])
      else parts.at(-1)?.push(token)
    }
    return parts.filter((part) => part.length > 0).map((part) => new Cursor(part, this.#dialect))
  }
}
