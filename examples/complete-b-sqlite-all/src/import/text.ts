import { createReadStream } from 'node:fs'
import { TextDecoder } from 'node:util'
import { CommandError } from '../commands/user-commands.ts'

/** Longer records are refused: a file of one line would fill the memory. In UTF-16 code units. */
export const maxLength = 1_048_576
export const tooLong = 'Longer than 1 MiB'

/** What stands in a text for bytes that are not of its encoding. */
export const invalidByte = '\uFFFD'
export const notUtf8 = 'Has bytes that are not UTF-8'

/**
 * The text of a file in parts, with \n at the end of each line.
 * @param named gets what is unusual about the file
 * @throws CommandError if the file cannot be read
 */
export async function* readText(file: string, named: Set<string>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let hasOnlyCr = false
  try {
    for await (const bytes of createReadStream(file, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
      const isStart = decoder === undefined
      decoder ??= new TextDecoder(encodingOf(bytes))
      const text = decoder.decode(bytes, { stream: true })
      if (isStart) hasOnlyCr = text.includes('\r') && !text.includes('\n')
      if (isStart && decoder.encoding !== 'utf-8') named.add(decoder.encoding.toUpperCase())
      if (hasOnlyCr) named.add('lines that end with CR')
      yield hasOnlyCr ? text.replaceAll('\r', '\n') : text
    }
  } catch {
    throw new CommandError(`Cannot read the file ${JSON.stringify(file)}.`)
  }
  yield decoder?.decode() ?? ''
}

/** UTF-16 begins with a byte order mark, or with a letter whose other byte is zero. */
function encodingOf([first, second]: Buffer): string {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : 'utf-8'
}

/** A line of a file. Of one that is too long, the text has only a quote if it has an odd number of them. */
export interface Line {
  line: number
  text: string
  isLong: boolean
}

export const hasOddQuotes = (text: string): boolean => text.split('"').length % 2 === 0

/** The lines of a text, without their ends. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let [line, rest, isLong] = [0, '', false]
  const shorten = () => {
    if (rest.length > maxLength) [rest, isLong] = [hasOddQuotes(rest) ? '"' : '', true]
  }
  for await (const chunk of chunks) {
    const texts = chunk.split('\n')
    for (const [at, text] of texts.entries()) {
      if (at > 0) {
        if (isLong) rest = hasOddQuotes(rest) ? '"' : ''
        yield { line: ++line, text: rest.replace(/\r$/, ''), isLong }
        ;[rest, isLong] = ['', false]
      }
      rest += text
      shorten()
    }
  }
  if (rest !== '' || isLong) yield { line: line + 1, text: rest, isLong }
}
