import fs from 'node:fs'
import { join } from 'node:path'
import { readFolder } from '../../src/migrations/drizzle-kit/folder.ts'
import { BREAKPOINT } from '../../src/migrations/sql/statements.ts'
import type { Dialect } from '../../src/migrations/sql/tokens.ts'
import { type Files, filesBelow } from '../../src/system/file-system.ts'

/**
 * The migration of an add-on's tables, as its layer has it: SQL, and the tables as Drizzle Kit describes them.
 * @param project a folder without the add-on's migration but with its tables, in which Drizzle Kit has just written it
 * @returns texts by their path in the add-on's folder; undefined if Drizzle Kit found no table
 */
export function fragmentsIn(project: string, database: Dialect, name: string): Files | undefined {
  const paths = filesBelow(fs, join(project, 'migrations'))
  const files = new Map(
    paths.map((path) => [`migrations/${path}`, fs.readFileSync(join(project, 'migrations', path), 'utf8')]),
  )
  const { migrations } = readFolder(files, database)
  const added = migrations.at(-1)
  if (!added?.tag.endsWith(name)) return undefined
  const known = migrations.at(-2)?.snapshot.tables ?? {}
  const tables = Object.entries(added.snapshot.tables).filter(([key]) => !Object.hasOwn(known, key))
  const statements = added.sql.split(BREAKPOINT).map((statement) => statement.trim())
  const path = `${database}/migrations/${database}/${name}`
  return new Map([
    [`${path}.sql`, `${statements.join(`\n${BREAKPOINT}\n`)}\n`],
    [`${path}.json`, `${JSON.stringify(Object.fromEntries(tables), undefined, 2)}\n`],
  ])
}
