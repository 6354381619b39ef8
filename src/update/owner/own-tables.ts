import type { Database } from '../../answers/variant.ts'
import { isSameExceptLayout } from '../../merge/layout.ts'
import type { Project } from '../../project/manifest.ts'
import { codeFiles, schemaFiles, schemaPaths, tablesIn } from '../../project/schema-files.ts'
import type { Files } from '../../system/file-system.ts'

/** The module of Drizzle that has the tables and columns of one database. */
const CORES: Record<Database, string> = { sqlite: 'drizzle-orm/sqlite-core', postgres: 'drizzle-orm/pg-core' }

/** Tests create their tables themselves. In `schema`, the service would get them too. */
const IS_TEST = /(?:^|\/)(?:tests?|__tests__)\/|\.(?:test|spec)\.[cm]?[jt]s$/

/**
 * The owner's tables that a switch of the database does not bring to the new one, and how to change that: a sentence
 * for each file.
 * @param next the files of the new state: git may have merged some of them from another branch
 */
export function untranslatedTables(
  { tree, base }: Project,
  from: Database,
  to: Database,
  next: Files,
): string[] {
  if (from === to) return []
  const isOwn = (path: string, text: string) => base?.files.get(path) !== text && next.get(path) !== text
  const listed = schemaFiles(tree)
  const unreadable = schemaPaths(tree)
    ? []
    : ['`schema` of drizzle.config.ts does not list paths inside the project: write it as such a list first']
  const written = [...listed].flatMap(([path, text]) =>
    isOwn(path, text) && usesCore(from, text)
      ? [`${named(path, text)} uses ${CORES[from]}: write it with src/db/dialect.ts or ${CORES[to]} first`]
      : [],
  )
  const outside = [...codeFiles(tree)].flatMap(([path, text]) =>
    !listed.has(path) &&
    !IS_TEST.test(path) &&
    isOwn(path, text) &&
    tablesIn(text).length > 0 &&
    isDrizzle(text)
      ? [`${named(path, text)} is not in \`schema\` of drizzle.config.ts: add it there first`]
      : [],
  )
  return [...unreadable, ...written, ...outside]
}

/** The owner's tables that a switch of the database brings to the new one: db:generate writes their migration. */
export function translatedTables(
  { tree, base }: Project,
  from: Database,
  to: Database,
  next: Files,
): string[] {
  if (from === to) return []
  const isGenerated = (path: string, text: string) =>
    [base?.files.get(path), next.get(path)].some(
      (generated) => generated !== undefined && isSameExceptLayout(path, text, generated),
    )
  return [...schemaFiles(tree)].flatMap(([path, text]) =>
    isGenerated(path, text) || usesCore(from, text) ? [] : tablesIn(text),
  )
}

const usesCore = (database: Database, text: string) => new RegExp(`(['"])${CORES[database]}\\1`).test(text)

const isDrizzle = (text: string) => /(['"])(?:drizzle-orm\/\w+-core|[^'"\n]*\/dialect\.[jt]s)\1/.test(text)

function named(path: string, text: string): string {
  const tables = tablesIn(text)
  return tables.length === 0 ? path : `${path} (${tables.join(', ')})`
}
