import type { Database } from '../../answers/variant.ts'
import { isSameExceptComments } from '../../merge/layout.ts'
import type { Project } from '../../project/manifest.ts'
import { codeFiles, schemaFiles, schemaPaths, tablesIn } from '../../project/schema-files.ts'
import type { Files } from '../../system/file-system.ts'

/** The module of Drizzle that has the tables and columns of one database. */
const CORES: Record<Database, string> = { sqlite: 'drizzle-orm/sqlite-core', postgres: 'drizzle-orm/pg-core' }

/** Tests create their tables themselves. In `schema`, the service would get them too. */
const IS_TEST = /(?:^|\/)(?:tests?|__tests__)\/|\.(?:test|spec)\.[cm]?[jt]s$/

/** The owner's tables in a switch of the database. */
export interface OwnTables {
  /** Those that the new database gets: db:generate writes their migration. */
  readonly translated: readonly string[]
  /** A sentence for each file whose tables it does not get, and how to change that. */
  readonly untranslated: readonly string[]
}

/** @param next the files of the new state: git may have merged some of them from another branch */
export function ownTables({ tree, base }: Project, from: Database, to: Database, next: Files): OwnTables {
  if (from === to) return { translated: [], untranslated: [] }
  const isOwn = ([path, text]: [string, string]) =>
    [base?.files.get(path), next.get(path)].every(
      (generated) => generated === undefined || !isSameExceptComments(path, text, generated),
    )
  const listed = schemaFiles(tree)
  const own = [...listed].filter(isOwn)
  const outside = [...codeFiles(tree)].filter(
    ([path, text]) =>
      !listed.has(path) && !IS_TEST.test(path) && tablesIn(text).length > 0 && isDrizzle(text),
  )
  return {
    translated: own.flatMap(([, text]) => (usesCore(from, text) ? [] : tablesIn(text))),
    untranslated: [
      ...(schemaPaths(tree)
        ? []
        : [
            '`schema` of drizzle.config.ts does not list paths inside the project: write it as such a list first',
          ]),
      ...own
        .filter(([, text]) => usesCore(from, text))
        .map(
          ([path, text]) =>
            `${named(path, text)} uses ${CORES[from]}: write it with src/db/dialect.ts or ${CORES[to]} first`,
        ),
      ...outside
        .filter(isOwn)
        .map(
          ([path, text]) =>
            `${named(path, text)} is not in \`schema\` of drizzle.config.ts: add it there first`,
        ),
    ],
  }
}

const usesCore = (database: Database, text: string) => new RegExp(`(['"])${CORES[database]}\\1`).test(text)

const isDrizzle = (text: string) => /(['"])(?:drizzle-orm\/\w+-core|[^'"\n]*\/dialect\.[jt]s)\1/.test(text)

function named(path: string, text: string): string {
  const tables = tablesIn(text)
  return tables.length === 0 ? path : `${path} (${tables.join(', ')})`
}
