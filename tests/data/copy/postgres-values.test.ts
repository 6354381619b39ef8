// Covers src/copy/postgres-target.ts, src/copy/values.ts.
import { beforeEach, expect, test } from 'vitest'
import { copyAll } from './copy-all.ts'
import { sourceFor } from './fake-source.ts'
import { type CopyTestTarget, copyTestTarget } from './target.ts'

let database: CopyTestTarget
beforeEach(async () => {
  database = await copyTestTarget('postgres')
})

/** Copies the values of a SQLite column into a PostgreSQL column. @returns the stored values as text */
async function copied(type: string, values: (number | string | Uint8Array | null)[]) {
  await database.run(`CREATE TABLE items (id bigint PRIMARY KEY, value ${type})`)
  const rows = values.map((value, index) => [index + 1, value])
  const source = sourceFor(database, { items: { columns: { id: '', value: '' }, rows } })
  await copyAll(source, database)
  const cast = type.startsWith('timestamp') ? `value AT TIME ZONE 'UTC'` : 'value'
  return (await database.rows(`SELECT (${cast})::text FROM items ORDER BY id`)).flat()
}

test.each([
  ['boolean', [1, 0, null], ['true', 'false', null]],
  ['bigint', [5, '9223372036854775807'], ['5', '9223372036854775807']],
  [
    'numeric(30, 10)',
    [1, '12345678901234567890.1234567891'],
    ['1.0000000000', '12345678901234567890.1234567891'],
  ],
  ['double precision', [5], ['5']],
  ['timestamp(3) with time zone', [1769860800123, -1000], ['2026-01-31 12:00:00.123', '1969-12-31 23:59:59']],
  ['jsonb', ['{"b":1,"a":[1.50,null,"\\u00e9"]}'], ['{"a": [1.50, null, "é"], "b": 1}']],
  ['json', ['{"b":1, "a":2}'], ['{"b":1, "a":2}']],
  ['bytea', [new Uint8Array([0, 255, 16]), new Uint8Array()], ['\\x00ff10', '\\x']],
  ['uuid', ['0F8FAD5B-d9cb-469f-a165-70867728950e'], ['0f8fad5b-d9cb-469f-a165-70867728950e']],
  ['text[]', ['{a,"b c",NULL}'], ['{a,"b c",NULL}']],
  ['date', ['2026-01-31'], ['2026-01-31']],
  ['varchar(5)', ['12345'], ['12345']],
  ['text', ['', 'NULL', '{}', `it's "\\`, '\uFFFD', 7], ['', 'NULL', '{}', `it's "\\`, '\uFFFD', '7']],
] as const)('%s keeps its value', async (type, values, stored) => {
  expect(await copied(type, [...values])).toEqual(stored)
})

test.each([
  ['boolean', 2, 'items, id 1: value: 2 is not a boolean'],
  ['bigint', 'five', 'items, id 1: value: a text of 4 characters is not an integer'],
  ['timestamp(3) with time zone', '2026-01-31', 'is not a timestamp in milliseconds'],
  ['timestamp(3) with time zone', 300000000000000, 'is not a timestamp in milliseconds'],
  ['jsonb', '{', 'items, id 1: the text is not JSON'],
  ['bytea', 'text', 'a text of 4 characters is not a blob'],
  ['text', new Uint8Array([1]), 'a blob of 1 bytes is not text'],
  ['text', 'a\0b', 'items, id 1: value: the text contains the character NUL'],
  ['varchar(5)', '123456', 'items, id 1: value too long'],
  ['smallint', 40000, 'items, id 1: '],
  ['numeric(4, 1)', '1.25', 'items: the rows in the target differ from those in the source'],
] as const)('%s refuses %j', async (type, value, message) => {
  await expect(copied(type, [value])).rejects.toThrow(message)
  expect(await database.rows('SELECT count(*) FROM items')).toEqual([['0']])
})

// A text in a column of another type can be a hash or an address, and errors get into tickets.
test.each(['bigint', 'uuid', 'inet', 'date', 'text[]'])(
  'an error of %s does not show a text',
  async (type) => {
    const error: unknown = await copied(type, ['alice"s hash']).catch((fault: unknown) => fault)
    expect(error).toMatchObject({ message: expect.stringMatching(/^items, id 1: .{10}/) })
    expect(String(error)).not.toMatch(/alice|hash/)
  },
)

test('the refused row is found among many', async () => {
  const values = ['1', '2', '3', '4', '123456', '6']
  await expect(copied('varchar(5)', values)).rejects.toThrow('items, id 5: ')
})

test('an identity column GENERATED ALWAYS takes the ids of the source', async () => {
  await database.run('CREATE TABLE items (id bigint GENERATED ALWAYS AS IDENTITY, other serial, value text)')
  const columns = { id: '', other: '', value: '' }
  const source = sourceFor(database, { items: { columns, rows: [[7, 70, 'seven']] } })
  await copyAll(source, database)
  await database.run(`INSERT INTO items (value) VALUES ('next')`)
  expect(await database.rows('SELECT id, other FROM items')).toEqual([
    ['7', '70'],
    ['8', '71'],
  ])
})

test.each([
  ['', []],
  ['ALWAYS', ['Triggers that are ENABLE ALWAYS do not run during the copy either: "log it" on items']],
])(
  "the owner's triggers (ENABLE %s) do not run for copied rows, and run again afterwards",
  async (enable, notes) => {
    await database.run('CREATE TABLE log (entry text)')
    await database.run('CREATE TABLE items (id bigint PRIMARY KEY, value text)')
    await database.run(
      `CREATE FUNCTION log_it() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO log VALUES (new.value); RETURN new; END'`,
    )
    await database.run('CREATE TRIGGER "log it" AFTER INSERT ON items FOR EACH ROW EXECUTE FUNCTION log_it()')
    await database.run(`ALTER TABLE items ENABLE ${enable} TRIGGER "log it"`)
    const enabled = () => database.rows(`SELECT tgenabled FROM pg_trigger WHERE tgname = 'log it'`)
    const before = await enabled()
    const source = sourceFor(database, {
      items: { columns: { id: '', value: '' }, rows: [[1, 'old']] },
      log: { columns: { entry: '' }, rows: [['old']] },
    })
    const said: string[] = []
    await copyAll(source, database, [], (target) => ({
      ...target,
      begin: async () => {
        const warnings = await target.begin()
        said.push(...warnings)
        return warnings
      },
    }))
    expect(said).toEqual(notes)
    await database.run(`INSERT INTO items VALUES (2, 'new')`)
    expect(await database.rows('SELECT entry FROM log')).toEqual([['old'], ['new']])
    expect(await enabled()).toEqual(before)
  },
)
