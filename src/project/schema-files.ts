import { join, normalize } from 'node:path/posix'
import { withoutComments } from '../merge/comments.ts'
import { globSource } from '../system/file-system.ts'
import { type Tree, textsAt } from './tree.ts'

const CONFIGURATION = 'drizzle.config.ts'
const DEFAULT = ['./src/db/schema/*.ts']

/** The texts of the files that define tables, where Drizzle Kit finds them, by their path in the project. */
export function schemaFiles(tree: Tree): Map<string, string> {
  const patterns = (schemaPaths(tree) ?? DEFAULT).map(patternOf)
  return new Map([...codeFiles(tree)].filter(([path]) => patterns.some((one) => one.test(path))))
}

/** The texts of the project's TypeScript and JavaScript, by path. */
export const codeFiles = (tree: Tree): Map<string, string> =>
  textsAt(tree, (path) => /(?<!\.d)\.[cm]?[jt]s$/.test(path))

/**
 * The paths and patterns in `schema` of drizzle.config.ts. The file is read as text: it is the owner's program, which
 * may need their environment or reach a database.
 * @returns undefined if they are not strings, or if one leads out of the project
 */
export function schemaPaths(tree: Tree): readonly string[] | undefined {
  const text = tree.text(CONFIGURATION)
  if (text === undefined) return DEFAULT
  const code = withoutComments(CONFIGURATION, text)
  // The schema that the table of applied migrations is in has the same name.
  const outside = code.replace(/\bmigrations\s*:\s*\{[^}]*\}/g, '')
  const [, value = ''] = /\bschema['"]?\s*:\s*(\[[^\]]*\]|(['"`]).*?\2)/.exec(outside) ?? []
  const paths = [...value.matchAll(STRING)].map(([text]) => text.slice(1, -1))
  const isList = paths.length > 0 && /^[[\],\s]*$/.test(value.replace(STRING, ''))
  return isList && !paths.some((path) => /^(?:\/|\.\.)|\$\{/.test(normalize(path))) ? paths : undefined
}

const STRING = /'[^'\n]*'|"[^"\n]*"|`[^`]*`/g

/** Matches what a pattern such as `./src/**` + `/*.ts` matches. The name of a folder matches the files in it. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${globSource(join(path).replace(/\/$/, ''))}(?:/[^/]+)?$`)

/** The names of the tables that such a text defines with `table('users', …`. Includes those in comments. */
export function tablesIn(text: string): string[] {
  const definition = /\b(?:table|sqliteTable|pgTable)\(\s*(['"`])([^'"`\n]+)\1/g
  return [...text.matchAll(definition)].map(([, , name = '']) => name)
}
