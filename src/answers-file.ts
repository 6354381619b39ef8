import { resolve } from 'node:path'
import * as z from 'zod'
import { type PartialAnswers, partialAnswers } from './answers.ts'
import { UserError } from './errors.ts'
import { shorten } from './escape.ts'
import type { FileSystem } from './file-system.ts'

const MAX_BYTES = 64 * 1024

/**
 * Reads the file of `--from`: untrusted input, so every member is checked and an unknown one is an error.
 * @throws UserError (usage) that names the file and what is wrong with it
 */
export function readAnswersFile(fs: FileSystem, cwd: string, file: string): PartialAnswers {
  const fault = (reason: string) => new UserError('usage', `--from ${file}: ${reason}`)
  if (file === '') throw new UserError('usage', '--from must name a JSON file')
  let parsed: unknown
  try {
    const path = resolve(cwd, file)
    const stats = fs.statSync(path)
    // A pipe or a device may never end.
    if (!stats.isFile()) throw fault('is not a file')
    if (stats.size > MAX_BYTES) throw fault(`is larger than ${MAX_BYTES} bytes`)
    parsed = JSON.parse(fs.readFileSync(path, 'utf8').replace(/^\u{feff}/u, ''))
  } catch (error) {
    if (error instanceof UserError) throw error
    if (error instanceof SyntaxError) throw fault('is not JSON')
    throw fault(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw fault('must hold one JSON object')
  // zod drops this key before it looks for unknown ones.
  if (Object.hasOwn(parsed, '__proto__')) throw fault('unknown key "__proto__"')
  const result = partialAnswers.safeParse(parsed)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  if (issue?.code === 'unrecognized_keys')
    throw fault(`unknown key "${shorten(issue.keys[0] ?? '')}"; see --print-schema`)
  const key = String(issue?.path[0])
  throw fault(
    `"${key}" ${issue?.message}, not ${shorten(JSON.stringify((parsed as Record<string, unknown>)[key]))}`,
  )
}

/** The JSON Schema (draft 2020-12) of an answers file, from the definition that checks it. */
export function answersSchema(): object {
  return z.toJSONSchema(partialAnswers, { io: 'input' })
}
