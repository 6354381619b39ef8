import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, type Transaction } from '../../src/db/database.ts'
import { integer, table, text } from '../../src/db/dialect.ts'
import { runBackup } from '../support/backup.ts'
import { canRestore, newDatabase, noDatabase, restore } from '../support/restore.ts'
import { testConfig } from '../support/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const payments = table('payments', { amount: integer('amount'), note: text('note') })
const receipts = table('receipts', { amount: integer('amount') })
const tables = `
  CREATE TABLE payments (amount integer, note text);
  CREATE TABLE receipts (amount integer);
`

function open(url: string) {
  const db = openDatabase(testConfig({ DATABASE_URL: url }).database)
  onTestFinished(() => db.close())
  return db
}

const countRows = async ({ read }: ReturnType<typeof open>) => ({
  payments: await read.$count(payments),
  receipts: await read.$count(receipts),
})

test.skipIf(!canRestore)('a backup under writes ends, and is the database of one moment', async () => {
  const url = await newDatabase(tables)
  const db = open(url)
  // Enough pages that the writes below fall into the backup.
  const old = Array.from({ length: 100 }, () => ({ amount: 1, note: 'x'.repeat(10_000) }))
  await db.transaction(async (tx) => {
    for (let row = 0; row < 400; row += old.length) {
      await tx.insert(payments).values(old)
      await tx.insert(receipts).values(old)
    }
  })
  const write = async (tx: Transaction) => {
    await tx.insert(payments).values({ amount: 1 })
    await tx.insert(receipts).values({ amount: 1 })
  }
  const folder = await temporaryFolder()
  const file = join(folder, 'backup')
  let isRunning = true
  const backup = runBackup([file], { DATABASE_URL: url }).finally(() => {
    isRunning = false
  })
  while (isRunning) {
    await db.transaction(write, { durable: false })
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await backup).toEqual({ status: 0, output: `The backup is ${file}.\n` })
  expect(await readdir(folder)).toEqual(['backup'])
  const now = await countRows(db)
  expect(now.payments).toBeGreaterThan(410)
  const restored = await countRows(open(await restore(file)))
  expect(restored.payments).toBeGreaterThanOrEqual(400)
  expect(restored.payments).toBeLessThanOrEqual(now.payments)
  expect(restored.receipts).toBe(restored.payments)
})

// Other users of the machine could copy all password hashes.
test.skipIf(!canRestore || process.platform === 'win32')('only the account can read a backup', async () => {
  const file = join(await temporaryFolder(), 'backup')
  await runBackup([file], { DATABASE_URL: await newDatabase(tables) })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('a backup never overwrites a file', async () => {
  const file = join(await temporaryFolder(), 'backup')
  for (const name of [file, `${file}.partial`]) {
    await writeFile(name, 'kept')
    const { status, output } = await runBackup([file], { DATABASE_URL: noDatabase })
    expect(status).toBe(1)
    expect(output).toContain('exists')
    expect(await readFile(name, 'utf8')).toBe('kept')
  }
})

test('a backup that fails leaves no file', async () => {
  const folder = await temporaryFolder()
  const { status, output } = await runBackup([join(folder, 'backup')], { DATABASE_URL: noDatabase })
  expect(status).toBe(1)
  expect(output).toContain('No backup was written: ')
  expect(await readdir(folder)).toEqual([])
})

test.each([[[]], [['--help']], [['one', 'two']]])('the arguments %j are refused', async (args) => {
  const usage = { status: 2, output: 'Usage: db:backup <file>\n' }
  expect(await runBackup(args, { DATABASE_URL: noDatabase })).toEqual(usage)
})
