import { CommandError } from '../commands/user-commands.ts'
import { readCsv } from './csv.ts'
import { readDocument, readJsonLines } from './json.ts'
import { linesOf, readText } from './text.ts'

/** A record of a file, and the lines on which it begins and ends. */
export interface FileRecord {
  line: number
  last?: number | undefined
  /** The fields, or why there are none. */
  value: Record<string, unknown> | string
}

/** What a file may contain. */
export interface FileSyntax {
  /** Each line is a JSON object, unless the file is a JSON document. Otherwise it can be CSV, too. */
  isJson?: boolean
  /** A CSV file has one of these columns. Default: email. */
  email?: readonly string[]
  /** The columns of a CSV file without a line of names. Older versions write up to two less. */
  columns?: readonly string[]
}

/** A document has `users` in its first line, or begins with a line of its own. */
const isDocument = (start: string): boolean => /^\s*\{(\s*\n|.*"users"\s*:\s*\[)/.test(start)

/**
 * Reads a file as NDJSON, JSON or CSV, whichever it is, without holding more than a few records.
 * @param named gets what is unusual about the file
 * @throws CommandError if the file cannot be read or is empty
 */
export async function* recordsOf(
  file: string,
  { isJson, ...syntax }: FileSyntax,
  named: Set<string>,
): AsyncGenerator<FileRecord> {
  const parts = readText(file, named)
  let start = ''
  for (let part = await parts.next(); !part.done; part = await parts.next()) {
    start += part.value
    if (start.trim() !== '') break
  }
  const [first] = start.trimStart()
  if (first === undefined) throw new CommandError(`The file ${JSON.stringify(file)} is empty.`)
  const text = (async function* () {
    yield start
    yield* parts
  })()
  if (first === '[') {
    const isPhpMyAdmin = /^\s*\[\s*\{\s*"type"\s*:\s*"header"/.test(start)
    yield* readDocument(text, isPhpMyAdmin ? '$.*.data.*' : '$.*')
  } else if (first === '{' && isDocument(start)) yield* readDocument(text, '$.users.*')
  else if (isJson || first === '{') yield* readJsonLines(linesOf(text))
  else yield* readCsv(linesOf(text), syntax, named)
}
