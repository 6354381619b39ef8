import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { temporaryDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let settings: Parameters<typeof migrate>[0]

beforeEach(async () => {
  const database = await temporaryDatabase()
  onTestFinished(database.remove)
  settings = { file: database.url.slice('file:'.length), busyTimeoutMs: 300_000 }
})

/** Writes a folder like `drizzle-kit generate`. @param migrations SQL statements by timestamp; @param end of each line */
async function migrationsFolder(migrations: Record<number, string[]>, end = '\n'): Promise<string> {
  const folder = await temporaryFolder()
  const entries = Object.keys(migrations).map((when, idx) => ({
    idx,
    version: '6',
    when: Number(when),
    tag: `${idx}_${when}`,
    breakpoints: true,
  }))
  await mkdir(join(folder, 'meta'))
  await writeFile(
    join(folder, 'meta/_journal.json'),
    JSON.stringify({ version: '7', dialect: 'sqlite', entries }),
  )
  for (const { tag, when } of entries) {
    const sql = (migrations[when] ?? []).join('\n--> statement-breakpoint\n')
    await writeFile(join(folder, `${tag}.sql`), sql.replaceAll('\n', end))
  }
  return folder
}

/** Runs one query on a separate connection. */
function query(sql: string): unknown[] {
  const connection = connect(settings)
  try {
    return connection.prepare(sql).pluck().all()
  } finally {
    connection.close()
  }
}

const tables = () =>
  query(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_\\_%' ESCAPE '\\'`)

test('a second run applies nothing', async () => {
  expect(await migrate(settings)).toBeGreaterThan(0)
  expect(await migrate(settings)).toBe(0)
})

test('tables of an update that was taken back and made again are not created again, but other SQL runs again', async () => {
  const table =
    '-- Not run again if the update of create-authsmith is taken back and made again.\nCREATE TABLE a (id INTEGER)'
  const row = 'INSERT INTO a VALUES (1)'
  await migrate(settings, await migrationsFolder({ 1: ['SELECT 1'], 2: [table], 3: [row] }))
  const again = await migrationsFolder({ 1: ['SELECT 1'], 4: [table], 5: [row], 6: [row] })
  expect(await migrate(settings, again)).toBe(2)
  expect(query('SELECT count(*) FROM a')).toEqual([3])
  expect(await migrate(settings, again)).toBe(0)
  expect(query('SELECT created_at FROM __drizzle_migrations ORDER BY 1')).toEqual([1, 3, 4, 5, 6])
})

test.each([
  { ran: '\n', found: '\r\n' },
  { ran: '\r\n', found: '\n' },
])(
  'line ends of another checkout make no other migration: ran $ran, found $found',
  async ({ ran, found }) => {
    const update = [
      '-- Not run again if the update of create-authsmith is taken back and made again.\nCREATE TABLE a (id INTEGER);',
      'CREATE TABLE b (id INTEGER);\n',
    ]
    await migrate(settings, await migrationsFolder({ 1: ['SELECT 1;\n'], 2: update }, ran))
    expect(await migrate(settings, await migrationsFolder({ 1: ['SELECT 1;\n'], 3: update }, found))).toBe(0)
    expect(query('SELECT created_at FROM __drizzle_migrations ORDER BY 1')).toEqual([1, 3])
    const moved = await migrationsFolder({ 4: ['SELECT 1;\n'], 5: update, 6: ['DROP TABLE c'] }, found)
    await expect(migrate(settings, moved)).rejects.not.toThrow('migrations/ does not have')
  },
)

test('a migration that fails after an update was taken back says how to go on', async () => {
  const folder = { 1: ['CREATE TABLE a (id INTEGER)'] }
  await migrate(settings, await migrationsFolder({ ...folder, 2: ['CREATE TABLE b (id INTEGER)'] }))
  const another = await migrationsFolder({ ...folder, 3: ['CREATE TABLE b (name TEXT)'] })
  await expect(migrate(settings, another)).rejects.toThrow(
    /b already exists\. The database has run migrations that migrations\/ does not have \(1\)\. If an update was taken back, repeat it or restore a backup from before it\.$/,
  )
  const wrong = await migrationsFolder({ ...folder, 2: ['CREATE TABLE b (id INTEGER)'], 4: ['DROP TABLE c'] })
  await expect(migrate(settings, wrong)).rejects.toThrow(/no such table: c$/)
})

/** Prints `ready`, migrates when it receives input, and prints how many migrations it applied. */
const migratingProcess = `
  import { migrate } from './src/db/migrate.ts'
  const [, file, folder] = process.argv
  process.stdin.once('data', async () => {
    console.log(await migrate({ file, busyTimeoutMs: 300_000 }, folder))
    process.exit()
  })
  console.log('ready')
`

test('if several processes start together, one migrates and the others wait for it', async () => {
  const projectFolder = fileURLToPath(new URL('../..', import.meta.url))
  const first = { 1: ['CREATE TABLE a (id INTEGER)'] }
  await migrate(settings, await migrationsFolder(first))
  const folder = await migrationsFolder({ ...first, 2: ['CREATE TABLE b (id INTEGER)'] })
  const nodeArguments = ['--import', 'tsx', '--input-type=module', '--eval', migratingProcess]
  const processes = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, [...nodeArguments, settings.file, folder], { cwd: projectFolder })
    let output = ''
    child.stdout.on('data', (text) => {
      output += text
    })
    const ready = once(child.stdout, 'data')
    return { ready, go: () => child.stdin.write('go'), output: once(child, 'close').then(() => output) }
  })
  await Promise.all(processes.map(({ ready }) => ready))
  for (const { go } of processes) go()
  const outputs = await Promise.all(processes.map(({ output }) => output))
  expect(outputs.toSorted()).toEqual(['ready\n0\n', 'ready\n0\n', 'ready\n0\n', 'ready\n1\n'])
})

test('while it waits for the lock of another process, and between two statements, this one can respond', async () => {
  const other = connect(settings)
  onTestFinished(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  const statements = ['a', 'b', 'c'].map((name) => `CREATE TABLE ${name} (id INTEGER)`)
  const migrating = migrate(settings, await migrationsFolder({ 1: statements }))
  other.exec('COMMIT')
  let [turns, isDone] = [0, false]
  const takeTurn = () => {
    turns += 1
    if (!isDone) setImmediate(takeTurn)
  }
  takeTurn()
  expect(await migrating).toBe(1)
  isDone = true
  expect(turns).toBeGreaterThan(statements.length)
})

test('a failed migration leaves the database unchanged', async () => {
  await migrate(settings, await migrationsFolder({ 1: ['CREATE TABLE a (id INTEGER)'] }))
  const broken = await migrationsFolder({
    1: ['CREATE TABLE a (id INTEGER)'],
    2: ['CREATE TABLE b (id INTEGER)'],
    3: ['CREATE TABLE c (id INTEGER)', 'INSERT INTO nowhere VALUES (1)'],
  })
  await expect(migrate(settings, broken)).rejects.toThrow('no such table: nowhere')
  expect(tables()).toEqual(['a'])
  const fixed = await migrationsFolder({
    1: ['CREATE TABLE a (id INTEGER)'],
    2: ['CREATE TABLE b (id INTEGER)'],
    3: ['CREATE TABLE c (id INTEGER)'],
  })
  expect(await migrate(settings, fixed)).toBe(2)
  expect(tables()).toEqual(['a', 'b', 'c'])
})

test('a migration that is merged late, with an older timestamp, is applied too', async () => {
  await migrate(
    settings,
    await migrationsFolder({ 1: ['CREATE TABLE a (id INTEGER)'], 3: ['CREATE TABLE c (id INTEGER)'] }),
  )
  const merged = await migrationsFolder({
    1: ['CREATE TABLE a (id INTEGER)'],
    2: ['CREATE TABLE b (id INTEGER)'],
    3: ['CREATE TABLE c (id INTEGER)'],
  })
  expect(await migrate(settings, merged)).toBe(1)
  expect(tables()).toEqual(['a', 'c', 'b'])
})

const authorsAndBooks = [
  'CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT)',
  'CREATE TABLE books (id INTEGER PRIMARY KEY, author INTEGER REFERENCES authors ON DELETE CASCADE)',
  `INSERT INTO authors VALUES (1, 'Ursula')`,
  'INSERT INTO books VALUES (1, 1)',
]

test('changing a column, which copies and drops the table, does not delete rows that refer to it', async () => {
  const folder = await migrationsFolder({
    1: authorsAndBooks,
    2: [
      'CREATE TABLE new_authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL)',
      'INSERT INTO new_authors SELECT * FROM authors',
      'DROP TABLE authors',
      'ALTER TABLE new_authors RENAME TO authors',
    ],
  })
  await migrate(settings, folder)
  expect(query('SELECT count(*) FROM books JOIN authors ON authors.id = books.author')).toEqual([1])
})

test('an index on an expression is created as Drizzle Kit writes it when it copies the table', async () => {
  const folder = await migrationsFolder({
    1: [
      'CREATE TABLE `a b` (`name` text);',
      'CREATE UNIQUE INDEX `a_name` ON `a b` (`name`,`lower("name")`);',
    ],
  })
  await migrate(settings, folder)
  expect(query(`SELECT sql FROM sqlite_master WHERE name = 'a_name'`)).toEqual([
    'CREATE UNIQUE INDEX `a_name` ON `a b` (`name`,lower("name"))',
  ])
})

test('a migration must not leave broken foreign keys', async () => {
  const folder = await migrationsFolder({ 1: authorsAndBooks, 2: ['DELETE FROM authors'] })
  await expect(migrate(settings, folder)).rejects.toThrow('leave 1 rows with a broken foreign key')
  expect(tables()).toEqual([])
})

describe('a migration that builds a table anew', () => {
  /** As Drizzle Kit changes a column. @param name the name that the table has */
  const rebuild = (name = 'people') => [
    `CREATE TABLE \`__new_${name}\` (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, name text DEFAULT '-' NOT NULL)`,
    `INSERT INTO \`__new_${name}\` (id, name) SELECT id, name FROM \`${name}\``,
    `DROP TABLE \`${name}\``,
    `ALTER TABLE \`__new_${name}\` RENAME TO \`${name}\``,
  ]
  const people = [
    'CREATE TABLE people (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, name text)',
    'CREATE TABLE notes (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, text text)',
    // The owner's own.
    'CREATE TRIGGER greet AFTER INSERT ON people BEGIN INSERT INTO notes (text) VALUES (new.name); END',
    'CREATE TRIGGER other AFTER DELETE ON notes BEGIN DELETE FROM people WHERE name = old.text; END',
    'CREATE VIEW names AS SELECT name FROM people',
    "INSERT INTO people (name) VALUES ('a'), ('b'), ('c')",
    'DELETE FROM people WHERE id > 1',
  ]
  const nextId = (name = 'people') => query(`INSERT INTO ${name} (name) VALUES ('d') RETURNING id`)

  test.each([
    ['with rows', []],
    ['without rows', ['DELETE FROM people']],
  ])('%s gives no id again', async (_case, statements) => {
    await migrate(settings, await migrationsFolder({ 1: people, 2: statements }))
    await migrate(settings, await migrationsFolder({ 1: people, 2: statements, 3: rebuild() }))
    expect(nextId()).toEqual([4])
    expect(query("SELECT count(*) FROM sqlite_sequence WHERE name = 'people'")).toEqual([1])
  })

  test('after it got another name gives no id again', async () => {
    const renamed = ['DROP VIEW names', 'ALTER TABLE people RENAME TO users', ...rebuild('users')]
    await migrate(settings, await migrationsFolder({ 1: people, 2: renamed }))
    expect(nextId('users')).toEqual([4])
    expect(query('SELECT text FROM notes ORDER BY id')).toEqual(['a', 'b', 'c', 'd'])
  })

  test('keeps triggers, and may have a view and triggers of other tables that name it', async () => {
    await migrate(settings, await migrationsFolder({ 1: people, 2: rebuild() }))
    nextId()
    expect(query('SELECT text FROM notes ORDER BY id')).toEqual(['a', 'b', 'c', 'd'])
    expect(query('SELECT name FROM names ORDER BY 1')).toEqual(['a', 'd'])
    query("DELETE FROM notes WHERE text = 'd' RETURNING id")
    expect(query('SELECT name FROM names')).toEqual(['a'])
  })

  test.each(['DROP TRIGGER greet', 'DROP TRIGGER IF EXISTS `greet`'])(
    'drops a trigger with %s',
    async (drop) => {
      await migrate(settings, await migrationsFolder({ 1: people, 2: [drop, ...rebuild()] }))
      nextId()
      expect(query('SELECT text FROM notes ORDER BY id')).toEqual(['a', 'b', 'c'])
    },
  )

  test('does not bring back a table or its triggers', async () => {
    const without = ['DROP VIEW names', 'DROP TRIGGER other', 'DROP TABLE people']
    await migrate(settings, await migrationsFolder({ 1: people, 2: without }))
    expect(tables()).toEqual(['sqlite_sequence', 'notes'])
    expect(query('SELECT name FROM sqlite_sequence')).toEqual(['notes'])
  })
})
