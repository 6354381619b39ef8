import type { Answers } from '../../answers/answers.ts'
import { stateOf } from '../../answers/variant.ts'
import { takenProperty } from '../../migrations/taken.ts'
import type { UpdateFile } from '../plan/file.ts'

/** The start of a table's definition, and a column in it: `isVerified: boolean('is_verified')`. */
const TABLE = /\b(?:table|sqliteTable|pgTable)\(/
const COLUMN = /\b(\w+)\s*:\s*\w+\((?:\s*['"`](\w+)['"`])?/g

/**
 * The owner's column and a new one can merge without a conflict although both have the same property: TypeScript then
 * refuses the file, and the database gets one column for both.
 * @throws UserError (refused)
 */
export function refuseTakenProperties(files: readonly UpdateFile[], to: Answers): void {
  for (const { path, disk, next = '', decision } of files) {
    if (decision.action !== 'merge' || disk.kind !== 'text' || !path.endsWith('.ts')) continue
    const known = [...repeated(disk.text), ...repeated(next)]
    const property = repeated(decision.text ?? '').find((name) => !known.includes(name))
    if (property !== undefined) throw takenProperty(path, property, columnOf(next, property), stateOf(to))
  }
}

/** The properties that one table has twice. */
function repeated(text: string): string[] {
  return text
    .split(TABLE)
    .slice(1)
    .flatMap((table) => {
      const names = [...table.matchAll(COLUMN)].map(([, name = '']) => name)
      return names.filter((name, at) => names.indexOf(name) !== at)
    })
}

const columnOf = (text: string, property: string): string =>
  [...text.matchAll(COLUMN)].find(([, name]) => name === property)?.[2] ?? property
