import { type CsvError, parse } from 'csv-parse/sync'
import { CommandError } from '../commands/user-commands.ts'
import type { FileRecord, FileSyntax } from './records.ts'
import { hasOddQuotes, invalidByte, type Line, maxLength, notUtf8, tooLong } from './text.ts'

/** What is parsed together: lines, and UTF-16 code units. */
const [batchLines, batchLength] = [500, maxLength / 4]

const backslashes = "MySQL's backslash escapes"
export const escaped = `Has ${backslashes}: export quotes doubled instead`

const stray = 'A quote inside of a field: it has to be doubled, and the field in quotes'

const syntax = { record_delimiter: '\n', skip_empty_lines: true, relax_column_count: true }

interface Header {
  delimiter: string
  names: string[]
}

/** Refuses a quote anywhere but around a field. */
function tryParse(text: string, delimiter: string, options: object): CsvError | undefined {
  try {
    parse(text, { ...syntax, delimiter, ...options })
  } catch (error) {
    return error as CsvError
  }
}

/** The names of the columns, and the delimiter that gives the most of them. */
function readHeader({ text }: Line, { columns, email = ['email'] }: FileSyntax, named: Set<string>): Header {
  let header: Header = { delimiter: ',', names: [] }
  for (const delimiter of [',', ';', '\t']) {
    const on_record = (names: string[]) => {
      if (names.length > header.names.length) header = { delimiter, names }
    }
    tryParse(text, delimiter, { trim: true, on_record })
  }
  const { delimiter, names } = header
  if (delimiter !== ',') named.add(delimiter === ';' ? '; between fields' : 'tabs between fields')
  if (columns) {
    if (names.length > columns.length - 3) return { delimiter, names: columns.slice(0, names.length) }
    throw new CommandError(`Not a file of this format: its first line has ${names.length} fields.`)
  }
  if (new Set(names).size < names.length) throw new CommandError('The file has two columns of the same name.')
  if (email.some((name) => names.includes(name))) return header
  throw new CommandError(`The file has no line of column names, or none of them is ${email.join(' or ')}.`)
}

/** Whether a field contains what looks like lines of other records, up to this field: two quotes that belong to other fields. */
const swallows = (fields: (string | null)[], delimiter: string): boolean =>
  fields.some((field, at) =>
    field
      ?.split('\n')
      .some((line, n) => n > 0 && line.split(delimiter).length > at && /@|^\W?\d+\W/.test(line)),
  )

/** Whether backslashes escape quotes: a user's text could then end its field and add records. Before the end, a record can be open. */
const hasEscapes = (text: string, { delimiter }: Header, isEnd: boolean): boolean =>
  text.includes('\\"') && !tryParse(text, delimiter, { escape: '\\' })?.code.includes(isEnd ? '' : 'INVALID')

/** The records of these lines, and the lines of the last one if it has not ended. After a refused line, it goes on at the next. */
function parseLines(lines: Line[], header: Header, named: Set<string>, isEnd = false) {
  const { delimiter, names } = header
  const records: FileRecord[] = []
  let rest = lines
  while (rest.length > 0) {
    const text = `${rest.map((line) => line.text).join('\n')}\n`
    if (hasEscapes(text, header, isEnd)) named.add(backslashes)
    let [at, length] = [0, 0]
    const failed = tryParse(text, delimiter, {
      escape: named.has(backslashes) ? '\\' : '"',
      cast(field: string, { quoting }: { quoting: boolean }) {
        if (quoting) return field
        if (field.endsWith('\\')) named.add(backslashes)
        // What MySQL and PostgreSQL write for a missing value.
        return /^(null|\\N)$/i.test(field) ? null : field
      },
      on_record(fields: (string | null)[], { bytes }: { bytes: number }) {
        const start = at
        for (; length < bytes; at += 1) length += Buffer.byteLength(rest[at]?.text ?? '') + 1
        const own = rest.slice(start, at).filter((line) => line.text !== '')
        let value: FileRecord['value'] = Object.fromEntries(names.map((name, n) => [name, fields[n]]))
        if (own.some((line) => line.text.includes(invalidByte))) value = notUtf8
        else if (fields.length !== names.length)
          value = `Has ${fields.length} fields instead of ${names.length}`
        else if (own.length > 1 && swallows(fields, delimiter))
          value = 'A quote is not closed, or a field contains other records'
        records.push({ line: own[0]?.line ?? 0, last: own.at(-1)?.line, value })
        return null
      },
    })
    rest = failed ? rest.slice(at) : []
    const isOpen = failed?.code === 'CSV_QUOTE_NOT_CLOSED'
    if (isOpen && !isEnd) break
    const bad = rest.findIndex((line) => line.text !== '')
    if (failed) records.push({ line: rest[bad]?.line ?? 0, value: isOpen ? 'A quote is not closed' : stray })
    rest = rest.slice(bad + 1)
  }
  if (named.has(backslashes)) for (const record of records) record.value = escaped
  return { records, rest }
}

/** RFC 4180. */
export async function* readCsv(
  lines: AsyncIterable<Line>,
  syntax: FileSyntax,
  named: Set<string>,
): AsyncGenerator<FileRecord> {
  let header: Header | undefined
  let [pending, kept, addedLength]: [Line[], number, number] = [[], 0, 0]
  let long: Line | undefined
  for await (const line of lines) {
    if (long) {
      if (!hasOddQuotes(line.text)) continue
      yield { line: long.line, last: line.line, value: tooLong }
      long = undefined
      continue
    }
    if (!header && line.text === '') continue
    if (!header) {
      header = readHeader(line, syntax, named)
      if (!syntax.columns) continue
    }
    if (!line.isLong) {
      pending.push(line)
      addedLength += line.text.length
      // What was kept is parsed again: only when as much has come.
      if (pending.length < kept + Math.max(batchLines, kept) && addedLength < batchLength) continue
    }
    const { records, rest } = parseLines(pending, header, named)
    yield* records
    ;[pending, kept, addedLength] = [rest, rest.length, 0]
    if (!line.isLong && rest.reduce((sum, { text }) => sum + text.length, 0) <= maxLength) continue
    // A user can write lines into a field: those of a record that is too long are not read as records.
    const [first = line] = rest
    const isOpen = hasOddQuotes([...rest, ...(line.isLong ? [line] : [])].map(({ text }) => text).join(''))
    pending = []
    if (isOpen) long = first
    else yield { line: first.line, last: line.line, value: tooLong }
  }
  if (long) yield { line: long.line, value: tooLong }
  if (header) yield* parseLines(pending, header, named, true).records
}
