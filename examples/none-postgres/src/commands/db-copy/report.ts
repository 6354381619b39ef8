import type { CopyResult } from './copy.ts'

/** The tables that were copied, with their rows and checksums, then what is not exactly as it was. */
export function report({ tables, notes }: CopyResult): string {
  const width = Math.max(...tables.map(({ name }) => name.length), 'table'.length)
  const line = (name: string, rows: string, checksum: string) =>
    `${name.padEnd(width)}  ${rows.padStart(11)}  ${checksum}`
  const sum = tables.reduce((rows, table) => rows + table.rows, 0)
  return [
    line('table', 'rows', 'checksum'),
    ...tables.map(({ name, rows, checksum }) => line(name, rows.toLocaleString('en'), checksum)),
    ...notes,
    `Copied ${sum.toLocaleString('en')} rows. All were read back, and each table's checksum is that of the source.`,
  ].join('\n')
}
