import { createReadStream } from 'node:fs'
import { CommandError } from '../commands/user-commands.ts'

/** A record of a file, and the line on which it begins. */
export interface FileRecord {
  line: number
  /** The fields, or why there are none. */
  value: Record<string, unknown> | string
}

/** What a file may contain. */
export interface FileSyntax {
  /** Each line is a JSON object, whatever the file begins with. */
  isLines?: boolean
  /** A JSON document has its records in this array. Default: each line is an object, or the document is an array. */
  array?: string
  /** The columns of a CSV file without a line of names. */
  columns?: readonly string[]
}

/** Longer records are refused: a file of one line would fill the memory. In UTF-16 code units. */
const maxLength = 1_048_576
const tooLong = 'Longer than 1 MiB'

/**
 * Reads a file as NDJSON, JSON or CSV, whichever it is, without holding more than one record.
 * @throws CommandError if the file cannot be read
 */
export async function* recordsOf(file: string, syntax: FileSyntax): AsyncGenerator<FileRecord> {
  const chunks = createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 18 })
  let read: Reader | undefined
  try {
    for await (const chunk of chunks as AsyncIterable<string>) {
      const text = read ? chunk : chunk.replace(/^\uFEFF/, '')
      read ??= readerFor(text, syntax)
      yield* read(text)
    }
  } catch {
    throw new CommandError(`Cannot read the file ${JSON.stringify(file)}.`)
  }
  if (read) yield* read('\n', true)
}

/** Reads the next part of a file. @param isEnd what has begun can no longer end, and is refused */
type Reader = (chunk: string, isEnd?: boolean) => Iterable<FileRecord>

function readerFor(start: string, { isLines, array, columns }: FileSyntax): Reader {
  const [first] = start.trimStart()
  if (isLines || (first === '{' && array === undefined)) return readLines()
  return first === '{' || first === '[' ? readElements(first === '[' ? undefined : array) : readCsv(columns)
}

function parsed(line: number, text: string, isLong: boolean): FileRecord {
  if (isLong || text.length > maxLength) return { line, value: tooLong }
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return { line, value: isObject ? (value as Record<string, unknown>) : 'Not a JSON object' }
  } catch {
    return { line, value: 'Not a JSON object' }
  }
}

function readLines(): Reader {
  let [line, rest, isLong] = [0, '', false]
  return function* (chunk) {
    const texts = (rest + chunk).split('\n')
    rest = texts.pop() ?? ''
    for (const text of texts) {
      line += 1
      if (isLong || text.trim() !== '') yield parsed(line, text, isLong)
      isLong = false
    }
    if (rest.length > maxLength) [rest, isLong] = ['', true]
  }
}

/** The objects of the document, or of one of its arrays, which may be of any size. */
function readElements(array: string | undefined): Reader {
  const recordDepth = array === undefined ? 1 : 2
  let [line, startLine, depth, text, start] = [1, 1, 0, '', -1]
  let [isInString, isEscaped, isInArray, nameStart, name] = [false, false, array === undefined, 0, '']
  let [isLong, hasArray] = [false, isInArray]
  return function* (chunk, isEnd) {
    // Of what came before, only a record or name that has begun is still needed.
    const kept = start >= 0 ? start : isInString ? nameStart : text.length
    let index = text.length - kept
    text = text.slice(kept) + chunk
    if (start >= 0) start = 0
    nameStart -= kept
    for (; index < text.length; index += 1) {
      const sign = text[index]
      if (sign === '\n') line += 1
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (sign === '\\') isEscaped = true
        else if (sign === '"') {
          isInString = false
          if (depth === 1) name = text.slice(nameStart, index)
        }
      } else if (sign === '"') {
        isInString = true
        nameStart = index + 1
      } else if (sign === '{' || sign === '[') {
        if (sign === '[' && depth === 1 && name === array) isInArray = hasArray = true
        if (sign === '{' && depth === recordDepth && isInArray) [start, startLine] = [index, line]
        depth += 1
      } else if (sign === '}' || sign === ']') {
        depth -= 1
        if (depth === recordDepth && start >= 0) {
          yield parsed(startLine, text.slice(start, index + 1), isLong)
          ;[start, isLong] = [-1, false]
        } else if (depth === 1 && sign === ']' && array !== undefined) isInArray = false
      }
    }
    // What is too long is not kept.
    if (start >= 0 && text.length - start > maxLength) [start, isLong] = [text.length, true]
    if (text.length - nameStart > maxLength) nameStart = text.length
    if (!isEnd) return
    if (depth > 0) yield { line: start >= 0 ? startLine : line - 1, value: 'The document ends too early' }
    else if (!hasArray) yield { line: 1, value: `Has no array ${array}` }
  }
}

/** RFC 4180: fields in quotes may contain commas, line breaks and doubled quotes. */
function readCsv(columns: readonly string[] | undefined): Reader {
  let [line, startLine, names] = [1, 1, columns]
  let fields: (string | null)[] = []
  let [field, isQuoted, wasQuote, isLong] = ['', false, false, false]
  return function* (chunk, isEnd) {
    for (const sign of chunk) {
      if (sign === '\n') line += 1
      if (isQuoted && !wasQuote) {
        if (sign === '"') wasQuote = true
        else field += sign
      } else if (sign === '"') {
        // The second of two quotes is one of the text.
        if (wasQuote) field += sign
        isQuoted = true
        wasQuote = false
      } else if (sign === ',' || sign === '\n') {
        fields.push(isQuoted ? field : nullable(field))
        ;[field, isQuoted, wasQuote] = ['', false, false]
        if (sign === ',') continue
        const row = fields
        fields = []
        const rowLine = startLine
        startLine = line
        const hadLong = isLong
        isLong = false
        if (hadLong) yield { line: rowLine, value: tooLong }
        else if (row.length === 1 && row[0] === '') continue
        else if (!names) names = row.map((name) => String(name).trim())
        else if (row.length < names.length && !columns)
          yield { line: rowLine, value: `Has ${row.length} fields instead of ${names.length}` }
        else yield { line: rowLine, value: Object.fromEntries(names.map((name, at) => [name, row[at]])) }
      } else if (!wasQuote) field += sign
      if (field.length > maxLength) [field, isLong] = ['', true]
    }
    if (isEnd && isQuoted && !wasQuote) yield { line: startLine, value: 'A quote is not closed' }
  }
}

/** A field without quotes. NULL and \N are what MySQL and PostgreSQL write for a missing value. */
function nullable(field: string): string | null {
  const text = field.replace(/\r$/, '')
  return text === 'NULL' || text === '\\N' ? null : text
}
