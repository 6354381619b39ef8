import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import type { FileRecord } from './records.ts'
import { invalidByte, type Line, maxLength, notUtf8, tooLong } from './text.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const toRecord = (line: number, value: unknown): FileRecord => ({
  line,
  value: isObject(value) ? value : 'Not a JSON object',
})

/** Strings, which stay, and numbers. */
const values = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** JSON whose numbers are texts: JavaScript would round ids from 2^53. Undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(values, (value) => (value.startsWith('"') ? value : `"${value}"`)))
  } catch {
    return undefined
  }
}

/** One object per line. */
export async function* readJsonLines(lines: AsyncIterable<Line>): AsyncGenerator<FileRecord> {
  for await (const { line, text, isLong } of lines)
    if (isLong) yield { line, value: tooLong }
    else if (text.includes(invalidByte)) yield { line, value: notUtf8 }
    else if (text.trim() !== '') yield toRecord(line, parseJson(text))
}

class TextTokenizer extends Tokenizer {
  protected override parseNumber = (text: string) => text as unknown as number
}

/** The largest record that is read to find the next one. */
const maxSkipped = 64 * maxLength

/** The values of a document at a path such as `$.users.*`, which may be any number. */
export async function* readDocument(chunks: AsyncIterable<string>, path: string): AsyncGenerator<FileRecord> {
  const recordDepth = path.split('.').length - 1
  let found: FileRecord[] = []
  let [line, depth, length, reason] = [1, 0, 0, '']
  let start = line
  const parser = new TokenParser({ paths: [path], keepStack: false })
  const tokenizer = new TextTokenizer()
  tokenizer.onToken = (token) => {
    if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) depth -= 1
    else if (depth === recordDepth) [start, length, reason] = [line, 0, '']
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) depth += 1
    if (typeof token.value === 'string' && token.value.includes(invalidByte)) reason = notUtf8
    parser.write(token)
  }
  parser.onValue = ({ value }) => {
    if (length > maxLength) reason = tooLong
    found.push(reason ? { line: start, value: reason } : toRecord(start, value))
  }
  const read = (text: string): string | undefined => {
    try {
      length += text.length
      tokenizer.write(text)
      return depth > recordDepth && length > maxSkipped ? 'Longer than 64 MiB' : undefined
    } catch {
      return 'Not JSON'
    }
  }
  for await (const chunk of chunks)
    for (const text of chunk.split(/(?<=\n)/)) {
      const failed = read(text)
      yield* found
      found = []
      if (failed) return yield { line, value: `${failed}. What follows was not read` }
      if (text.endsWith('\n')) line += 1
    }
  if (!parser.isEnded)
    yield { line: depth > recordDepth ? start : line, value: 'The document ends too early' }
}
