import { diffArrays } from 'diff'
import jsTokens from 'js-tokens'
import { codeOf } from './comments.ts'
import { type Token, tokensOf } from './tokens.ts'

/** Whether two texts of a file differ in nothing but what a formatter changes. */
export function isSameExceptLayout(path: string, one: string, other: string): boolean {
  if (one === other) return true
  // Much faster than tokens. No formatter adds or removes a letter.
  return lettersOf(one) === lettersOf(other) && isSame(tokensOf(path, one), tokensOf(path, other))
}

/** Whether two texts of a file differ in nothing but comments and what a formatter changes. */
export const isSameExceptComments = (path: string, one: string, other: string): boolean =>
  isSameExceptLayout(path, one, other) || isSameExceptLayout(path, codeOf(path, one), codeOf(path, other))

const lettersOf = (text: string): string => text.replace(/[^a-z]+/gi, '').toLowerCase()

/**
 * Writes a text in the layout of another one: what they have in common is spelled as in the other, with the same spaces
 * and line breaks. New parts keep their own layout.
 * @returns the text itself if its language is unknown, or if its meaning would change
 */
export function layOutAs(model: string, path: string, text: string): string {
  const [tokens, others] = [tokensOf(path, text), tokensOf(path, model)]
  if (!tokens || !others) return text
  const twins = twinsOf(tokens, others)
  if (!twins) return text
  const parts = tokens.map(({ start, end }, at) => {
    const twin = others[twins[at] ?? -1]
    const isFirst = at === 0
    const lead = twin && (isFirst ? twins[at] === 0 : twins[at - 1] === (twins[at] ?? 0) - 1)
    const before = lead
      ? model.slice(others[(twins[at] ?? 0) - 1]?.end ?? 0, twin.start)
      : text.slice(tokens[at - 1]?.end ?? 0, start)
    return before + (twin ? model.slice(twin.start, twin.end) : text.slice(start, end))
  })
  const isLast = others.length > 0 && twins.at(-1) === others.length - 1
  const rest = isLast ? model.slice(others.at(-1)?.end) : text.slice(tokens.at(-1)?.end ?? 0)
  const result = parts.join('') + rest
  return isSame(tokensOf(path, result), tokens) ? result : text
}

/** The files that code is in. */
export const SOURCE = /\.[cm]?[jt]sx?$/
const PLAIN = /^(["'])[^"'\\]*\1$/

/** Writes the strings of a code in the quotes that all of another one have. */
export function inQuotesOf(model: string, path: string, text: string): string {
  if (!SOURCE.test(path)) return text
  const isPlain = ({ type, value }: { type: string; value: string }) =>
    type === 'StringLiteral' && PLAIN.test(value)
  const quotes = new Set([...jsTokens(model)].filter(isPlain).map(({ value }) => value[0]))
  const [quote] = quotes
  if (quotes.size !== 1) return text
  return [...jsTokens(text)]
    .map((token) => (isPlain(token) ? quote + token.value.slice(1, -1) + quote : token.value))
    .join('')
}

/** More edits than any two versions of one file have. Comparing texts that have nothing in common would take minutes. */
const MOST_EDITS = 4000

/** For each token, the index of the same one in the other list, if it is there too. */
function twinsOf(tokens: readonly Token[], others: readonly Token[]): (number | undefined)[] | undefined {
  const values = (list: readonly Token[]) => list.map(({ value }) => value)
  const changes = diffArrays(values(others), values(tokens), { maxEditLength: MOST_EDITS })
  let at = 0
  return changes?.flatMap(({ added, removed, value }): (number | undefined)[] => {
    if (added) return value.map(() => undefined)
    at += value.length
    return removed ? [] : value.map((_, index) => at - value.length + index)
  })
}

const isSame = (one: readonly Token[] | undefined, other: readonly Token[] | undefined): boolean =>
  one !== undefined &&
  one.length === other?.length &&
  one.every(({ value }, at) => value === other[at]?.value)
