import { UserError } from '../system/errors.ts'
import type { CopiedColumn, Reader, Table } from './database.ts'
import { kindOf } from './values.ts'

/** A table that both databases have. */
export interface CopiedTable extends Table {
  copied: CopiedColumn[]
  /** How many rows the source has. */
  count: number
}

/**
 * Finds the tables and columns that both databases have, by name.
 * @param skip names of tables, or `table.column`, to leave out
 * @throws UserError (refused) with the list of those that only one database has: values would be lost, or a migration
 *   that fills a column has not run on the source's rows; (usage) if `skip` names what neither database has
 */
export async function matchTables(
  source: Reader,
  target: Reader,
  skip: ReadonlySet<string>,
): Promise<CopiedTable[]> {
  const from = byName(await source.tables())
  const to = byName(await target.tables())
  const unknown = [...skip].filter((name) => !has(from, name) && !has(to, name))
  if (unknown.length > 0) throw new UserError('usage', `--skip: neither database has ${unknown.join(', ')}`)

  const homeless: string[] = []
  const missing = [...to.keys()].filter((name) => !from.has(name) && !skip.has(name))
  const tables: CopiedTable[] = []
  for (const table of from.values()) {
    if (skip.has(table.name)) continue
    const count = await source.count(table.name)
    const counterpart = to.get(table.name)
    if (!counterpart) {
      if (count > 0) homeless.push(table.name)
      continue
    }
    const columns = byName(table.columns)
    for (const { name } of count === 0 ? [] : counterpart.columns)
      if (!columns.has(name) && !skip.has(`${table.name}.${name}`)) missing.push(`${table.name}.${name}`)

    const counterparts = byName(counterpart.columns)
    const copied: CopiedColumn[] = []
    for (const { name, type } of table.columns) {
      const column = counterparts.get(name)
      if (skip.has(`${table.name}.${name}`) || column?.isGenerated) continue
      if (column) {
        const kind = kindOf({ kind: source.kind, type }, { kind: target.kind, type: column.type })
        copied.push({ name, kind, type: column.type })
      } else if (await source.hasValues(table.name, name)) homeless.push(`${table.name}.${name}`)
    }
    if (copied.length > 0) tables.push({ ...table, copied, count })
  }
  refuse(homeless, 'The target lacks these, which have values in the source', 'leave them out')
  refuse(missing, 'The source lacks these, so it may be older than the project', 'leave them empty')
  return tables
}

function refuse(names: string[], reason: string, action: string): void {
  if (names.length === 0) return
  const flags = names.map((name) => `--skip ${name}`).join(' ')
  throw new UserError('refused', `${reason}: ${names.join(', ')}. To ${action}: ${flags}`)
}

const byName = <Named extends { name: string }>(items: Named[]): Map<string, Named> =>
  new Map(items.map((item) => [item.name, item]))

const has = (tables: Map<string, Table>, name: string): boolean =>
  [...tables.values()].some(
    (table) => table.name === name || table.columns.some((column) => `${table.name}.${column.name}` === name),
  )
