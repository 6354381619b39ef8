import { refused, wrongUsage } from '../system/errors.ts'
import type { CopiedColumn, Reader, Table } from './database.ts'
import { kindOf } from './values.ts'

/** A table that both databases have. */
export interface CopiedTable extends Table {
  copied: CopiedColumn[]
  /** The names of the copied columns. */
  names: string[]
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
  if (unknown.length > 0) throw wrongUsage(`\`--skip\`: neither database has ${unknown.join(', ')}`)

  const isCopied = (name: string) => !skip.has(name)
  const onlyInSource: string[] = []
  const onlyInTarget = [...to.keys()].filter((name) => !from.has(name) && isCopied(name))
  const tables: CopiedTable[] = []
  for (const table of [...from.values()].filter(({ name }) => isCopied(name))) {
    const count = await source.count(table.name)
    const counterpart = to.get(table.name)
    if (!counterpart && count > 0) onlyInSource.push(table.name)
    if (!counterpart) continue
    const nameOf = (column: string) => `${table.name}.${column}`
    if (count > 0) onlyInTarget.push(...columnsOnlyIn(counterpart, table).map(nameOf).filter(isCopied))
    for (const column of columnsOnlyIn(table, counterpart))
      if (isCopied(nameOf(column)) && (await source.hasValues(table.name, column)))
        onlyInSource.push(nameOf(column))
    const copied = table.columns.flatMap(({ name, type }): CopiedColumn[] => {
      const column = counterpart.columns.find((each) => each.name === name)
      if (!column || column.isGenerated || !isCopied(nameOf(name))) return []
      const kind = kindOf({ kind: source.kind, type }, { kind: target.kind, type: column.type })
      return [{ name, kind, type: column.type }]
    })
    if (copied.length > 0) tables.push({ ...table, copied, names: copied.map(({ name }) => name), count })
  }
  refuse(onlyInSource, 'The target lacks these, which have values in the source', 'leave them out')
  refuse(onlyInTarget, 'The source lacks these, so it may be older than the project', 'leave them empty')
  return tables
}

/** The names of the columns that only the first table has. */
function columnsOnlyIn(table: Table, other: Table): string[] {
  const columns = byName(other.columns)
  return table.columns.flatMap(({ name }) => (columns.has(name) ? [] : [name]))
}

function refuse(names: string[], reason: string, action: string): void {
  if (names.length === 0) return
  const flags = names.map((name) => `--skip ${name}`).join(' ')
  throw refused(`${reason}: ${names.join(', ')}. To ${action}: ${flags}`)
}

const byName = <Named extends { name: string }>(items: Named[]): Map<string, Named> =>
  new Map(items.map((item) => [item.name, item]))

const has = (tables: Map<string, Table>, name: string): boolean =>
  [...tables.values()].some(
    (table) => table.name === name || table.columns.some((column) => `${table.name}.${column.name}` === name),
  )
