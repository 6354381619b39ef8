import type * as z from 'zod'
import { refused, type UserError } from '../../system/errors.ts'
import type { Files } from '../../system/file-system.ts'
import { shorten } from '../../system/printing.ts'
import { JsonFault, readJson } from '../../system/read-json.ts'

/** @throws UserError (refused) if the file is missing */
export function textOf(files: Files, path: string): string {
  const text = files.get(path)
  if (text === undefined)
    throw damaged(path, 'is missing', 'Move your migrations back if you moved them, or restore')
  return text
}

/**
 * Reads a JSON file of Drizzle Kit.
 * @param dialect Drizzle Kit's name of the database
 * @throws UserError (refused) if it is missing, damaged, or for another database
 */
export function readFile<Value extends { dialect: string }>(
  files: Files,
  path: string,
  schema: z.ZodType<Value>,
  dialect: string,
): Value {
  const text = textOf(files, path)
  try {
    const value = readJson(text, schema)
    if (value.dialect === dialect) return value
    throw new JsonFault(`is for ${shorten(value.dialect)}, not for ${dialect}`)
  } catch (error) {
    throw error instanceof JsonFault ? damaged(path, error.message) : error
  }
}

export const damaged = (path: string, fault: string, fix = 'Restore'): UserError =>
  refused(`${shorten(path)} ${fault}. ${fix} migrations/ from version control.`)
