import { withoutComments } from '../../merge/comments.ts'
import { codeFiles, schemaFiles, tablesIn } from '../../project/schema-files.ts'
import type { Tree } from '../../project/tree.ts'
import type { Files } from '../../system/file-system.ts'

/** The parts of an account's export. */
const LIST = 'src/exports/index.ts'

/**
 * A note about the owner's tables of users, which no generated file of src/exports/ reads, if an update adds the export.
 * @param base the files of the old state, and `next` those of the new one
 */
export function unexportedNotes(tree: Tree, base: Files, next: Files): string[] {
  if (base.has(LIST) || !next.has(LIST)) return []
  const generated = new Set([...next].flatMap(([path, text]) => (path.endsWith('.ts') ? tablesIn(text) : [])))
  const exports = [...codeFiles(tree)].filter(([path]) => path.startsWith('src/exports/'))
  const isExported = (name: string) => exports.some(([, text]) => new RegExp(`\\b${name}\\b`).test(text))
  const tables = [...schemaFiles(tree)]
    .flatMap(([path, text]) => tablesOfUsers(withoutComments(path, text)))
    .filter((name) => !generated.has(name) && !isExported(name))
  if (tables.length === 0) return []
  const each = tables.length === 1 ? 'it' : 'each'
  return [
    `not in the export of an account: your ${tables.join(', ')}. Add a file to src/exports/ for ${each}`,
  ]
}

/** The tables of a text that have a column which references a user. */
const tablesOfUsers = (text: string): string[] =>
  text
    .split(/(?=\b(?:table|sqliteTable|pgTable)\()/)
    .filter((definition) => /\busers\s*\.\s*id\b/.test(definition))
    .flatMap(tablesIn)
