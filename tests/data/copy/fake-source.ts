import type { DriverValue, Source } from '../../../src/copy/database.ts'
import type { CopyTestTarget } from './target.ts'

export interface SourceTable {
  /** Column types by name, as PostgreSQL names them. */
  columns: Record<string, string>
  rows: (number | string | Uint8Array | null)[][]
  /** The highest id ever assigned. */
  counter?: number
}

/** A source of the other database kind, with values as its driver returns them. The first column is the key. */
export function sourceFor(target: CopyTestTarget, tables: Record<string, SourceTable>): Source {
  const kind = target.kind === 'sqlite' ? 'postgres' : 'sqlite'
  const value = (given: number | string | Uint8Array | null): DriverValue => {
    if (typeof given !== 'number') return given
    return kind === 'sqlite' ? BigInt(given) : String(given)
  }
  const columnsOf = (name: string) => Object.keys(tables[name]?.columns ?? {})
  const valuesOf = (name: string, column: string) =>
    (tables[name]?.rows ?? []).map((row) => value(row[columnsOf(name).indexOf(column)] ?? null))
  return {
    kind,
    tables: async () =>
      Object.entries(tables).map(([name, { columns }]) => ({
        name,
        columns: Object.entries(columns).map(([column, type]) => ({
          name: column,
          type,
          isGenerated: false,
        })),
        key: columnsOf(name).slice(0, 1),
      })),
    count: async (name) => tables[name]?.rows.length ?? 0,
    hasValues: async (name, column) => valuesOf(name, column).some((found) => found !== null),
    async *rows({ name }, columns) {
      const rows = (tables[name]?.rows ?? []).map((_row, at) =>
        columns.map((column) => valuesOf(name, column)[at] ?? null),
      )
      for (let at = 0; at < rows.length; at += 2) yield rows.slice(at, at + 2)
    },
    counters: async () =>
      new Map(
        Object.entries(tables).flatMap(([name, { counter }]) =>
          counter === undefined ? [] : [[`${name}.${columnsOf(name)[0]}`, BigInt(counter)] as const],
        ),
      ),
    migrations: async () => [],
    hasChanged: async () => false,
    close: async () => {},
  }
}
