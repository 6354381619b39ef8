import { resolve } from 'node:path'
import * as z from 'zod'
import { type PartialAnswers, partialAnswers } from '../answers/answers.ts'
import { UserError } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { shorten } from '../system/printing.ts'
import { decodeUtf8, JsonFault, readJson, refuseUnreadable } from '../system/read-json.ts'
import { codeOf } from '../system/system-error.ts'

const MAX_BYTES = 64 * 1024

/**
 * Reads the file of `--from`. It is untrusted input, so every member is checked and an unknown one is an error.
 * @throws UserError (usage) that names the file and what is wrong with it
 */
export function readAnswersFile(fs: FileSystem, cwd: string, file: string): PartialAnswers {
  if (file === '') throw new UserError('usage', '`--from` must name a JSON file.')
  try {
    const path = resolve(cwd, file)
    refuseUnreadable(fs.statSync(path), MAX_BYTES)
    return readJson(decodeUtf8(fs.readFileSync(path)), partialAnswers)
  } catch (error) {
    throw new UserError('usage', `\`--from ${file}\`: ${faultOf(error)}.`)
  }
}

function faultOf(error: unknown): string {
  if (!(error instanceof JsonFault)) return `cannot be read (${codeOf(error) ?? 'error'})`
  const { at, message } = error
  if (at) return `"${at.path.join('.')}" ${at.reason}, not ${shorten(JSON.stringify(at.value))}`
  return message.includes('unknown key') ? `${message}. See \`--print-schema\`` : message
}

/** The JSON Schema (draft 2020-12) of an answers file, generated from the schema that validates it. */
export function answersSchema(): object {
  return z.toJSONSchema(partialAnswers, { io: 'input' })
}
