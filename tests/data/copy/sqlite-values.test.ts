// Covers src/copy/sqlite-values.ts.
import { beforeEach, expect, test } from 'vitest'
import { copyAll } from './copy-all.ts'
import { sourceFor } from './fake-source.ts'
import { type CopyTestTarget, copyTestTarget } from './target.ts'

let database: CopyTestTarget
beforeEach(async () => {
  database = await copyTestTarget('sqlite')
})

/** Copies the values of a PostgreSQL column into a SQLite column. @returns the stored values and the notes */
async function copied(type: string, sqliteType: string, values: (string | null)[]) {
  await database.run(`CREATE TABLE items (id INTEGER PRIMARY KEY, value ${sqliteType})`)
  const rows = values.map((value, index) => [index + 1, value])
  const source = sourceFor(database, { items: { columns: { id: 'bigint', value: type }, rows } })
  const { notes } = await copyAll(source, database)
  const stored = await database.rows(`SELECT typeof(value), quote(value) FROM items ORDER BY id`)
  return { stored: stored.map((row) => row.join(' ')), notes }
}

test.each([
  ['boolean', 'INTEGER', ['true', 'false', null], ['integer 1', 'integer 0', 'null NULL']],
  [
    'bigint',
    'INTEGER',
    ['9223372036854775807', '-9223372036854775808'],
    ['integer 9223372036854775807', 'integer -9223372036854775808'],
  ],
  [
    'numeric',
    'NUMERIC',
    ['1.50', '9007199254740993', '-0.1'],
    ['real 1.5', 'integer 9007199254740993', 'real -0.1'],
  ],
  [
    'numeric',
    'TEXT',
    ['1.50', '12345678901234567890.123'],
    [`text '1.50'`, `text '12345678901234567890.123'`],
  ],
  [
    'double precision',
    'REAL',
    ['0.1', '1e+21', '5e-324'],
    ['real 0.1', 'real 1.0e+21', expect.stringMatching(/^real 4\.9/)],
  ],
  [
    'timestamp with time zone',
    'INTEGER',
    ['2026-01-31 12:00:00.123+00', '1969-12-31 23:59:59+00', '0001-01-01 00:00:00+00'],
    ['integer 1769860800123', 'integer -1000', 'integer -62135596800000'],
  ],
  ['timestamp without time zone', 'INTEGER', ['2026-01-31 12:00:00'], ['integer 1769860800000']],
  ['jsonb', 'TEXT', ['{"a": [1, null, "é"]}'], [`text '{"a": [1, null, "é"]}'`]],
  ['bytea', 'BLOB', ['\\x00ff10', '\\x'], [`blob X'00FF10'`, `blob X''`]],
  ['uuid', 'TEXT', ['0f8fad5b-d9cb-469f-a165-70867728950e'], [`text '0f8fad5b-d9cb-469f-a165-70867728950e'`]],
  ['text[]', 'TEXT', ['{a,"b c",NULL}'], [`text '{a,"b c",NULL}'`]],
  [
    'text',
    'TEXT',
    ['1', 'true', '', `it's`, '\uFFFD'],
    [`text '1'`, `text 'true'`, `text ''`, `text 'it''s'`, `text '\uFFFD'`],
  ],
] as const)('%s is stored as %s', async (type, sqliteType, values, stored) => {
  expect(await copied(type, sqliteType, [...values])).toEqual({ stored, notes: [] })
})

test('timestamps are cut to the millisecond, and a note says so', async () => {
  const moments = [
    '2026-01-31 12:00:00.123999+00',
    '2026-01-31 12:00:00.123+00',
    '1969-12-31 23:59:59.9995+00',
  ]
  const { stored, notes } = await copied('timestamp with time zone', 'INTEGER', moments)
  expect(stored).toEqual(['integer 1769860800123', 'integer 1769860800123', 'integer -1'])
  expect(notes).toEqual(['items.value: 2 timestamps were cut to the millisecond.'])
})

test.each([
  [
    'numeric',
    'NUMERIC',
    '12345678901234567.89',
    'items, id 1: a SQLite number cannot store 12345678901234567.89 exactly',
  ],
  ['double precision', 'REAL', 'NaN', 'items, id 1: SQLite cannot store NaN'],
  ['timestamp with time zone', 'INTEGER', 'infinity', 'items, id 1: value: infinity is not a timestamp'],
  ['timestamp with time zone', 'INTEGER', '0044-03-15 00:00:00+00 BC', 'is not a timestamp'],
])('%s is not stored as %s if the value would change: %s', async (type, sqliteType, value, message) => {
  await expect(copied(type, sqliteType, [value])).rejects.toThrow(message)
  expect(await database.rows('SELECT count(*) FROM items')).toEqual([['0']])
})

test("the owner's triggers do not run for copied rows, and run again afterwards", async () => {
  await database.run('CREATE TABLE log (entry TEXT)')
  await database.run('CREATE TABLE items (id INTEGER PRIMARY KEY, value TEXT)')
  await database.run(
    `CREATE TRIGGER "log it" AFTER INSERT ON items BEGIN INSERT INTO log VALUES (new.value); END`,
  )
  const source = sourceFor(database, {
    items: { columns: { id: 'bigint', value: 'text' }, rows: [[1, 'old']] },
    log: { columns: { entry: 'text' }, rows: [['old']] },
  })
  await copyAll(source, database)
  await database.run(`INSERT INTO items (value) VALUES ('new')`)
  expect(await database.rows('SELECT entry FROM log')).toEqual([['old'], ['new']])
})
