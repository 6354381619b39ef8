import { setImmediate } from 'node:timers/promises'
import { failed, refused } from '../system/errors.ts'
import { Checksum } from './checksum.ts'
import { type Reader, RowError, type Source, type Target } from './database.ts'
import { type CopiedTable, matchTables } from './match.ts'
import { inRow, rowName, translate } from './row.ts'
import { isCut } from './values.ts'

/** How many rows were copied or read back. Each counts twice in `total`. */
export interface CopyStep {
  table: string
  done: number
  total: number
}

export interface CopyResult {
  tables: { name: string; rows: number; checksum: string }[]
  /** Notes about values that changed, such as shortened timestamps. */
  notes: string[]
}

/** Counts rows that were copied or read back. */
type Advance = (table: string, rows: number) => Promise<void>

/**
 * Copies all rows in the target's transaction, reads them back and compares the checksums. The caller commits.
 * @param options the tables, and columns as `table.column`, to leave out, and what is called after every batch
 * @throws UserError if they differ, or if the copy is not possible
 */
export async function copyRows(
  source: Source,
  target: Target,
  options: { skip: ReadonlySet<string>; progress: (step: CopyStep) => void },
): Promise<CopyResult> {
  const tables = await matchTables(source, target, options.skip)
  const total = 2 * tables.reduce((sum, { count }) => sum + count, 0)
  let done = 0
  const advance: Advance = async (table, rows) => {
    done += rows
    options.progress({ table, done, total })
    // SQLite's driver is synchronous. Without this, Ctrl-C would take effect only after the copy.
    await setImmediate()
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
      throw failed(
        `${table.name}: the rows in the target differ from those in the source (${written.rows} of ${read?.rows} rows, checksum ${written}, not ${read}). Check whether the target rounds, shortens or changes values`,
      )
    result.tables.push({ name: table.name, rows: written.rows, checksum: String(written) })
  }
  await target.setCounters(await source.counters())
  if (await source.hasChanged())
    throw refused('The source changed during the copy. Stop everything that uses it, then copy again')
  return result
}

/** @throws UserError (refused) if the target has rows, because they may be the only copy */
export async function refuseRows(target: Reader, skip: ReadonlySet<string>): Promise<void> {
  const filled: { name: string; count: number }[] = []
  for (const { name } of await target.tables()) {
    const count = skip.has(name) ? 0 : await target.count(name)
    if (count > 0) filled.push({ name, count })
  }
  if (filled.length === 0) return
  const rows = filled.map(({ name, count }) => `${name}: ${count}`).join(', ')
  const names = filled.map(({ name }) => name).join(' ')
  throw refused(
    `The target is not empty (rows in ${rows}). Copy into a new database, delete these rows, or keep them with --skip ${names}`,
  )
}

async function copyTable(
  source: Source,
  target: Target,
  table: CopiedTable,
  advance: Advance,
  notes: string[],
): Promise<Checksum> {
  const sum = new Checksum()
  const cut = table.copied.map(() => 0)
  for await (const batch of source.rows(table, table.names)) {
    const rows = batch.map((row) => translate(source, table, row))
    rows.forEach((row, at) => {
      inRow(table, batch[at] ?? [], () => sum.add(table.copied, row))
      table.copied.forEach(({ kind }, index) => {
        if (target.kind === 'sqlite' && isCut(kind, row[index] ?? '')) cut[index] = (cut[index] ?? 0) + 1
      })
    })
    await target.insert(table.name, table.copied, rows).catch((error: unknown) => {
      if (!(error instanceof RowError)) throw error
      throw failed(`${rowName(table, table.names, batch[error.index])}: ${error.message}`)
    })
    await advance(table.name, rows.length)
  }
  table.names.forEach((name, index) => {
    if (cut[index]) notes.push(`${table.name}.${name}: ${cut[index]} timestamps were cut to the millisecond.`)
  })
  return sum
}

async function readBack(target: Target, table: CopiedTable, advance: Advance): Promise<Checksum> {
  const sum = new Checksum()
  for await (const batch of target.rows(table, table.names)) {
    for (const row of batch) {
      const values = translate(target, table, row)
      inRow(table, row, () => sum.add(table.copied, values))
    }
    await advance(table.name, batch.length)
  }
  return sum
}
