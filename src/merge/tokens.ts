import jsTokens from 'js-tokens'

/** A part of a text that formatters keep. What is between two of them is layout. */
export interface Token {
  /** The same for all spellings that formatters choose between, such as the kind of quotes. */
  readonly value: string
  readonly start: number
  readonly end: number
}

/**
 * The tokens of a text in a language that formatters lay out.
 * @returns undefined for any other file, in which whitespace may have a meaning
 */
export function tokensOf(path: string, text: string): readonly Token[] | undefined {
  return LANGUAGES.find(([name]) => name.test(path))?.[1](text, path)
}

const LANGUAGES: readonly [RegExp, (text: string, path: string) => Token[]][] = [
  [/\.(?:[cm]?[jt]sx?|jsonc?)$/, codeTokens],
  [/\.css$/, (text) => significant(matches(STYLE, text))],
  [/\.html$/, markupTokens],
  [/\.md$/, markdownTokens],
  [/\.ya?ml$/, yamlTokens],
]

const STYLE = /\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|[\p{ID_Continue}.%-]+|\S/gu

/** A line break after one of these words, or between an operand and `++`, ends a statement as a semicolon does. */
const ENDED_BY_LINE = /^(?:return|break|continue|throw|yield)$/

/** TypeScript, JavaScript and JSON. */
function codeTokens(text: string, path: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  let lineBreak = false
  for (const { type, value: raw } of jsTokens(text, { jsx: path.endsWith('x') })) {
    const start = at
    at += raw.length
    if (type === 'LineTerminatorSequence') lineBreak = true
    if (type === 'LineTerminatorSequence' || type === 'WhiteSpace') continue
    const { value: before = '', end: last = 0 } = tokens.at(-1) ?? {}
    const isIncrement = /^(?:\+\+|--)$/.test(raw) && /[\p{ID_Continue}$)\]]$/u.test(before)
    if (lineBreak && (isIncrement || ENDED_BY_LINE.test(before)))
      tokens.push({ value: ';', start: last, end: last })
    lineBreak = false
    // Formatters break the line between two brackets of types.
    const parts = /^>+$/.test(raw) ? [...raw] : [raw]
    for (const [index, part] of parts.entries()) {
      // Words of JSX can look like code or comments.
      const value = type.startsWith('JSX') ? `>${part}` : spelled(part)
      tokens.push({ value, start: start + index, end: start + index + part.length })
    }
  }
  return significant(withPlainNames(tokens))
}

/** Whether a token is a comment of code or of CSS. */
export const isComment = ({ value }: Token): boolean => /^\/[/*]/.test(value)

/** One spelling for all: strings in the same quotes, and comments without the indentation of their lines. */
function spelled(raw: string): string {
  if (raw.startsWith('/*')) return raw.replace(/\n[ \t]*/g, '\n')
  if (!/^["']/.test(raw)) return raw.trimEnd()
  return `"${raw.replace(/^["']|["']$/g, '').replace(/\\(["'])/g, '$1')}"`
}

/** A token that continues the expression before it. */
const CONTINUES = /^(?:[-+*/%.<>=!&|?^([`].*|in|instanceof|as|satisfies)$/

/**
 * Without the tokens that formatters add and remove: trailing commas, semicolons at the end of a line, a bar before the
 * first type of a union, and parentheses around what a function returns and around its only parameter.
 */
function significant(tokens: readonly Token[]): Token[] {
  const code = tokens.filter((token) => !isComment(token))
  const valueAt = (at: number) => code[at]?.value ?? ''
  const extra = new Set<Token | undefined>()
  const open: { at: number; before: string; hasComma?: boolean }[] = []
  /** What precedes the parentheses that closed last. */
  let head = ''
  for (const [at, token] of code.entries()) {
    const [before, value, next] = [valueAt(at - 1), token.value, valueAt(at + 1)]
    const outer = open.at(-1)
    if (/^[|&]$/.test(value) && /^(?:[=(<:,[?]|=>|extends)$/.test(before)) extra.add(token)
    if (value === ',' && /^[)\]}>]$/.test(next) && before !== ',') extra.add(token)
    else if (value === ',' && outer) outer.hasComma = true
    const isEmpty = before === 'else' || (before === ')' && /^(?:if|for|while|with)$/.test(head))
    const isEnd = ENDED_BY_LINE.test(before) && !/^(?:[)\]}].*)?$/.test(next)
    if (value === ';' && outer?.before !== 'for' && !isEmpty && !isEnd && !/^[([`+/-]/.test(next))
      extra.add(token)
    if (/^[)\]}]/.test(value)) {
      const opening = open.pop()
      if (value === ')') head = opening?.before ?? ''
      const isParameter =
        value === ')' && next === '=>' && opening?.at === at - 2 && /^[\p{ID_Start}$_]/u.test(before)
      const isResult = value === ')' && opening && /^(?:=>|return)$/.test(opening.before) && !opening.hasComma
      if (isParameter || (isResult && !CONTINUES.test(next) && valueAt(opening.at + 1) !== '{'))
        extra.add(token).add(code[opening.at])
    }
    if (/^[([{]$|\$\{$/.test(value)) open.push({ at, before: valueAt(at - 2) === '.' ? '' : before })
  }
  return tokens.filter((token) => !extra.has(token))
}

/** With the names of properties, which formatters put in quotes or not, in one spelling. */
function withPlainNames(tokens: readonly Token[]): Token[] {
  const code = tokens.filter((token) => !isComment(token))
  const names = new Set(
    code.filter(
      ({ value }, at) =>
        /^"[\p{ID_Start}$_][\p{ID_Continue}$]*"$/u.test(value) &&
        /^[{,]$/.test(code[at - 1]?.value ?? '') &&
        code[at + 1]?.value === ':',
    ),
  )
  return tokens.map((token) => (names.has(token) ? { ...token, value: token.value.slice(1, -1) } : token))
}

const YAML = /#.*|"(?:[^"\\]|\\[\s\S])*"|'[^']*'|[^\s,[\]{}"']+|\S/g

/** Words of YAML. The first of a line also has how deep the line is, because indentation has a meaning there. */
function yamlTokens(text: string): Token[] {
  const open: number[] = []
  let brackets = 0
  let isFirst = true
  let end = 0
  const all = [...text.matchAll(YAML)].map(({ 0: raw, index: start }): Token => {
    isFirst ||= text.slice(end, start).includes('\n')
    end = start + raw.length
    // A backslash is one in single quotes only.
    const token = { value: raw.includes('\\') ? raw : spelled(raw), start, end }
    // Formatters break lines between brackets, and before them.
    const isInside = brackets > 0 || /^[[{]/.test(raw)
    if (/^[[{]$/.test(raw)) brackets += 1
    if (/^[\]}]$/.test(raw)) brackets -= 1
    if (!isFirst || isInside) return token
    isFirst = false
    const indent = start - (text.lastIndexOf('\n', start - 1) + 1)
    while ((open.at(-1) ?? -1) >= indent) open.pop()
    open.push(indent)
    return { ...token, value: `${open.length} ${token.value}` }
  })
  return all.filter(({ value }, at) => value !== ',' || !/^[\]}]$/.test(all[at + 1]?.value ?? ''))
}

function markupTokens(text: string): Token[] {
  const all = matches(/\p{ID_Continue}+|\S/gu, text)
  return all.filter(({ value }, at) => !(/^[/;]$/.test(value) && /^[>}]$/.test(all[at + 1]?.value ?? '')))
}

const matches = (pattern: RegExp, text: string): Token[] =>
  [...text.matchAll(pattern)].map(({ 0: raw, index }) => ({
    value: spelled(raw),
    start: index,
    end: index + raw.length,
  }))

/** A code block, with its first line, its language, its text and its last line; or a word or a bar of a table. */
const MARKDOWN = /^([ \t]*(`{3,}|~{3,})[ \t]*(\w*).*\n)([\s\S]*?)(^[ \t]*\2.*$|$(?![\s\S]))|[^\s|]+|\|/gm

function markdownTokens(text: string): Token[] {
  return [...text.matchAll(MARKDOWN)].flatMap(
    ({ 0: raw, index, 1: first, 3: language, 4: block = '', 5: last = '' }) => {
      // The line under the head of a table is as long as its column is wide.
      if (first === undefined)
        return [{ value: raw.replace(/^(:?)-{2,}(:?)$/, '$1---$2'), start: index, end: index + raw.length }]
      const start = index + first.length
      const end = start + block.length
      const inner = tokensOf(`.${language}`, block) ?? [{ value: block, start: 0, end: block.length }]
      return [
        { value: first.trim(), start: index, end: start },
        ...inner.map((token) => ({ ...token, start: start + token.start, end: start + token.end })),
        { value: last.trim(), start: end, end: end + last.length },
      ]
    },
  )
}
