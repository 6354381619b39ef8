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
  return LANGUAGES.find(([name]) => name.test(path))?.[1](text)
}

const LANGUAGES: readonly [RegExp, (text: string) => Token[]][] = [
  [/\.(?:[cm]?[jt]sx?|jsonc?)$/, codeTokens],
  [/\.css$/, styleTokens],
  [/\.html$/, markupTokens],
  [/\.md$/, markdownTokens],
]

const BLOCK_COMMENT = String.raw`\/\*[\s\S]*?\*\/`
const STRING = String.raw`"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'`
const SPACE = /\s*/y
const REGEX = /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y
const TEMPLATE = /(?:[^\\`$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y
const CODE = new RegExp(
  String.raw`\/\/.*|${BLOCK_COMMENT}|${STRING}|[\p{ID_Continue}$@#]+|\.{3}|=>|\?\.(?!\d)|\+\+|--|[=!]==?|&&|\|\||\?\?|[\s\S]`,
  'uy',
)
const STYLE = new RegExp(String.raw`${BLOCK_COMMENT}|${STRING}|[\p{ID_Continue}.%-]+|\S`, 'gu')

/** After one of these, a slash starts a regular expression. After anything else, it divides. */
const BEFORE_REGEX =
  /^(?:|[^\p{ID_Continue}$)\]}"'`]+|.*\$\{|return|typeof|case|in|of|await|yield|void|throw|else)$/u

/** TypeScript, JavaScript and JSON. */
function codeTokens(text: string): Token[] {
  const tokens: Token[] = []
  /** For each template literal that is open: how many braces are open in its expression. */
  const templates: number[] = []
  let before = ''
  for (let at = endOf(SPACE, text, 0); at < text.length; ) {
    const open = templates.at(-1)
    const isTemplate = text[at] === '`' || (text[at] === '}' && open === 0)
    const isRegex = text[at] === '/' && BEFORE_REGEX.test(before)
    const regexEnd = isRegex ? endOf(REGEX, text, at) : at
    const end = isTemplate
      ? endOf(TEMPLATE, text, at + 1)
      : regexEnd > at
        ? regexEnd
        : Math.max(endOf(CODE, text, at), at + 1)
    const raw = text.slice(at, end)
    if (isTemplate && text[at] === '}') templates.pop()
    if (isTemplate && raw.endsWith('${')) templates.push(0)
    else if (open !== undefined && /^[{}]$/.test(raw))
      templates.push((templates.pop() ?? 0) + (raw === '{' ? 1 : -1))
    tokens.push({ value: spelled(raw), start: at, end })
    if (!isComment(raw)) before = raw
    at = endOf(SPACE, text, end)
  }
  return significant(tokens)
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

const isComment = (raw: string) => /^\/[/*]/.test(raw)

/** One spelling for all: strings in the same quotes, and comments without the indentation of their lines. */
function spelled(raw: string): string {
  if (raw.startsWith('/*')) return raw.replace(/\n[ \t]*/g, '\n')
  if (!/^["']/.test(raw)) return raw.trimEnd()
  const inner = raw.slice(1, -1).replace(/\\(["'])/g, '$1')
  return `"${inner.replace(/\\(\n)/g, '$1')}"`
}

/** A token that continues the expression before it. */
const CONTINUES = /^(?:[-+*/%.<>=!&|?^([`].*|in|instanceof|as|satisfies)$/

/**
 * Without the tokens that formatters add and remove: trailing commas, semicolons at the end of a line, a bar before the
 * first type of a union, and parentheses around what a function returns.
 */
function significant(tokens: readonly Token[]): Token[] {
  const code = tokens.filter(({ value }) => !isComment(value))
  const isExtra = new Set(parenthesesOfResults(code))
  /** For each open parenthesis: whether it is that of a `for`, whose semicolons have a meaning. */
  const isLoop: boolean[] = []
  for (const [at, token] of code.entries()) {
    const [before = '', value, next = ''] = [code[at - 1]?.value, token.value, code[at + 1]?.value]
    if (value === '(') isLoop.push(before === 'for')
    if (value === ')') isLoop.pop()
    const isTrailing = value === ',' && /^[)\]}>]$/.test(next) && before !== ','
    // Without it, the next line would continue the statement.
    const isEnd = value === ';' && !/^[([`+/-]/.test(next) && !isLoop.at(-1)
    const isFirst = /^[|&]$/.test(value) && /^(?:[=(<:,[?]|=>|extends)$/.test(before)
    if (isTrailing || isEnd || isFirst) isExtra.add(token)
  }
  return tokens.filter((token) => !isExtra.has(token))
}

/** The parentheses in `return (a && b)` and `() => (a ? b : c)`. */
function parenthesesOfResults(code: readonly Token[]): Token[] {
  const open: { at: number; hasComma: boolean }[] = []
  return code.flatMap((token, at) => {
    const { value } = token
    const inner = open.at(-1)
    if (inner && value === ',') inner.hasComma = true
    if (/^[([{]$|\$\{$/.test(value)) open.push({ at, hasComma: false })
    if (!/^[)\]}]/.test(value)) return []
    const start = open.pop()
    if (!start || value !== ')' || start.hasComma) return []
    const first = code[start.at]
    const isResult = /^(?:=>|return)$/.test(code[start.at - 1]?.value ?? '')
    const isWhole = !CONTINUES.test(code[at + 1]?.value ?? '') && code[start.at + 1]?.value !== '{'
    return first && isResult && isWhole ? [first, token] : []
  })
}

function styleTokens(text: string): Token[] {
  return significant(matches(STYLE, text))
}

function markupTokens(text: string): Token[] {
  const all = matches(/\p{ID_Continue}+|\S/gu, text)
  return all.filter(({ value }, at) => !(/^[/;]$/.test(value) && /^[>}]$/.test(all[at + 1]?.value ?? '')))
}

function matches(pattern: RegExp, text: string): Token[] {
  return [...text.matchAll(pattern)].map(({ 0: raw, index: start }) => {
    return { value: spelled(raw), start, end: start + raw.length }
  })
}
/** A code block: the line before it with its language, its text, and the line after it. */
const BLOCK = /^([ \t]*(`{3,}|~{3,})[ \t]*(\w*).*\n)([\s\S]*?)(^[ \t]*\2.*$|$(?![\s\S]))/gm

function markdownTokens(text: string): Token[] {
  const tokens: Token[] = []
  const add = (found: readonly Token[] | undefined, from: number, to: number) => {
    const all = found ?? [{ value: text.slice(from, to), start: 0, end: to - from }]
    for (const { value, start, end } of all) tokens.push({ value, start: start + from, end: end + from })
  }
  let last = 0
  for (const { index, 1: opening = '', 3: language, 4: block = '' } of text.matchAll(BLOCK)) {
    const start = index + opening.length
    const end = start + block.length
    add(proseTokens(text.slice(last, start)), last, start)
    add(tokensOf(`.${language}`, block), start, end)
    last = end
  }
  add(proseTokens(text.slice(last)), last, text.length)
  return tokens
}

/** The line under the head of a table is as long as its column is wide. */
const proseTokens = (text: string): Token[] =>
  matches(/[^\s|]+|\|/g, text).map((token) => ({
    ...token,
    value: token.value.replace(/^(:?)-{2,}(:?)$/, '$1---$2'),
  }))
