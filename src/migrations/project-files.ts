import type { AddOn } from '../answers/add-ons.ts'
import type { Plan } from '../blueprints/layers.ts'
import { render } from '../blueprints/render.ts'
import type { FileSystem, Files } from '../system/file-system.ts'
import { append } from './drizzle-kit/append.ts'
import { lastSnapshot, readFolder, type Snapshot } from './drizzle-kit/folder.ts'
import { BREAKPOINT } from './sql/statements.ts'
import type { Dialect } from './sql/tokens.ts'

/** Where an add-on's layer for a database has its tables: as SQL, and as Drizzle Kit describes them. */
const FRAGMENT = /^migrations\/(?:sqlite|postgres)\/[a-z-]+\.(?:sql|json)$/

/**
 * Renders a new project: its layers, and a migration for each of its add-ons with tables, after the first one.
 * @param blueprints the folder that holds the layers
 * @throws Error if blueprints/ breaks a law
 */
export function projectFiles(fs: FileSystem, blueprints: string, plan: Plan): Files {
  const rendered = render(fs, blueprints, plan)
  let files: Files = new Map([...rendered].filter(([path]) => !FRAGMENT.test(path)))
  const dialect = plan.words.has('postgres') ? 'postgres' : 'sqlite'
  for (const name of plan.words) {
    const sql = rendered.get(`migrations/${dialect}/${name}.sql`)?.trim().split(`\n${BREAKPOINT}\n`)
    if (!sql) continue
    const folder = readFolder(files, dialect)
    const last = lastSnapshot(folder)
    const snapshot = { ...last, tables: { ...last.tables, ...addOnTables(rendered, name, dialect) } }
    const added = append(folder, { name, sql, snapshot, isRepeatable: true, now: 0 })
    files = new Map([...files, ...added.files])
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The tables of an add-on in a rendered plan that has it, by Drizzle Kit's keys; empty if it has none. */
export const addOnTables = (rendered: Files, addOn: AddOn, dialect: Dialect): Snapshot['tables'] =>
  JSON.parse(rendered.get(`migrations/${dialect}/${addOn}.json`) ?? '{}')
