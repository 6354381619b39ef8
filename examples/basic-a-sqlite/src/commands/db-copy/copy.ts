import { Checksum } from './checksum.ts'
import {
  type CopiedValue,
  CopyError,
  type DriverValue,
  type Reader,
  RowError,
  type Source,
  type Target,
  ValueError,
} from './database.ts'
import { type CopiedTable, matchTables } from './match.ts'
import { fromPostgres, fromSqlite, isCut } from './values.ts'

export interface CopyOptions {
  /** Tables, and columns as `table.column`, to leave out. */
  skip: ReadonlySet<string>
  /** Is told of every batch, and how many rows there will be in all: copied once and read back once. */
  progress(step: { table: string; done: number; total: number }): void
}

export interface CopyResult {
  tables: { name: string; rows: number; checksum: string }[]
  /** What is not exactly as it was. */
  notes: string[]
}

/**
 * Copies all rows in the target's transaction, compares what was written with what was read, and commits.
 * @throws CopyError where they differ, or something stands in the way. The target is as it was
 */
export async function copyRows(source: Source, target: Target, options: CopyOptions): Promise<CopyResult> {
  const tables = await matchTables(source, target, options.skip)
  const total = 2 * tables.reduce((sum, { count }) => sum + count, 0)
  let done = 0
  const advance = (table: string, rows: number) => {
    done += rows
    options.progress({ table, done, total })
  }

  const notes: string[] = []
  const sums = new Map<string, Checksum>()
  for (const table of tables) sums.set(table.name, await copyTable(source, target, table, advance, notes))
  await target.restore()
  const result: CopyResult = { tables: [], notes }
  for (const table of tables) {
    const written = await readBack(target, table, advance)
    const read = sums.get(table.name)
    if (String(written) !== String(read) || written.rows !== read?.rows)
      throw new CopyError(
        `${table.name}: what was written differs from what was read (${written.rows} of ${read?.rows} rows, checksum ${written}, not ${read}): does the target round, shorten or change values?`,
      )
    result.tables.push({ name: table.name, rows: written.rows, checksum: String(written) })
  }
  await target.setCounters(await source.counters())
  if (await source.hasChanged())
    throw new CopyError('The source was written to meanwhile: stop whatever uses it, and copy again')
  await target.commit()
  return result
}

/**
 * Begins the target's transaction.
 * @throws CopyError where it holds rows, which might be somebody's
 */
export async function beginEmpty(target: Target, skip: ReadonlySet<string>): Promise<void> {
  await target.begin()
  for (const { name } of await target.tables()) {
    const count = skip.has(name) ? 0 : await target.count(name)
    if (count > 0)
      throw new CopyError(
        `The target is not empty: ${name} has ${count} rows. Nothing is ever deleted: copy into a new database, delete the rows yourself, or keep them with --skip ${name}`,
      )
  }
}

async function copyTable(
  source: Source,
  target: Target,
  table: CopiedTable,
  advance: (table: string, rows: number) => void,
  notes: string[],
): Promise<Checksum> {
  const sum = new Checksum()
  const names = table.copied.map(({ name }) => name)
  const cut = table.copied.map(() => 0)
  for await (const batch of source.rows(table, names)) {
    const rows = batch.map((row) => translate(source, table, row))
    rows.forEach((row, at) => {
      naming(table, batch[at], () => sum.add(table.copied, row))
      table.copied.forEach(({ kind }, index) => {
        if (target.kind === 'sqlite' && isCut(kind, row[index] ?? '')) cut[index] = (cut[index] ?? 0) + 1
      })
    })
    await target.insert(table.name, table.copied, rows).catch((error: unknown) => {
      if (!(error instanceof RowError)) throw error
      throw new CopyError(`${rowName(table, batch[error.index])}: ${error.message}`)
    })
    advance(table.name, rows.length)
  }
  names.forEach((name, index) => {
    if (cut[index]) notes.push(`${table.name}.${name}: ${cut[index]} moments were cut to the millisecond.`)
  })
  return sum
}

async function readBack(
  target: Target,
  table: CopiedTable,
  advance: (table: string, rows: number) => void,
): Promise<Checksum> {
  const sum = new Checksum()
  const names = table.copied.map(({ name }) => name)
  for await (const batch of target.rows(table, names)) {
    for (const row of batch) {
      const values = translate(target, table, row)
      naming(table, row, () => sum.add(table.copied, values))
    }
    advance(table.name, batch.length)
  }
  return sum
}

function translate(reader: Reader, table: CopiedTable, row: DriverValue[]): CopiedValue[] {
  return table.copied.map(({ kind, name }, index) => {
    const value = row[index] ?? null
    if (value === null) return null
    return naming(
      table,
      row,
      () => (reader.kind === 'sqlite' ? fromSqlite(kind, value) : fromPostgres(kind, String(value))),
      name,
    )
  })
}

/** An error about a value says in which row it is. */
function naming<Result>(
  table: CopiedTable,
  row: DriverValue[] = [],
  work: () => Result,
  column?: string,
): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    throw new CopyError(`${rowName(table, row)}: ${column ? `${column}: ` : ''}${error.message}`)
  }
}

/** "users, id 5". */
function rowName(table: CopiedTable, row: DriverValue[] = []): string {
  const key = table.key.map(
    (name) => `${name} ${row[table.copied.findIndex((column) => column.name === name)]}`,
  )
  return [table.name, ...key].join(', ')
}
