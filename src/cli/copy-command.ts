import type { CopyResult } from '../copy/copy.ts'
import { type CopyRequest, copyData } from '../copy/copy-data.ts'
import { visible } from '../system/printing.ts'
import type { System } from '../system/system.ts'
import { printResult } from './output.ts'

export interface CopyFlags extends CopyRequest {
  readonly json?: true
}

/** Runs `create-authsmith copy-data`. @returns the exit code. @throws UserError if nothing was copied */
export async function copyDataCommand({ json, ...request }: CopyFlags, system: System): Promise<number> {
  const result = await copyData(request, system)
  return printResult(system, json, { text: textReport(result), members: result })
}

/** The copied tables with their rows and checksums, then notes about values that changed. */
function textReport({ tables, notes }: CopyResult): string {
  const rows = tables.map((table) => ({ ...table, name: visible(table.name) }))
  const width = Math.max(...rows.map(({ name }) => name.length), 'table'.length)
  const line = (name: string, count: string, checksum: string) =>
    `${name.padEnd(width)}  ${count.padStart(11)}  ${checksum}`
  const sum = rows.reduce((total, table) => total + table.rows, 0)
  return [
    line('table', 'rows', 'checksum'),
    ...rows.map(({ name, rows: count, checksum }) => line(name, count.toLocaleString('en'), checksum)),
    ...notes.map(visible),
    `Copied ${sum.toLocaleString('en')} ${sum === 1 ? 'row' : 'rows'}, read them back and compared them: each table's checksum matches the source.`,
    '',
  ].join('\n')
}
