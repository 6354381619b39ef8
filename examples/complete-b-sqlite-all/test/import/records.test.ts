import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FileSyntax, recordsOf } from '../../src/import/records.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function read(text: string, syntax: FileSyntax = {}) {
  const file = join(await temporaryFolder(), 'users')
  await writeFile(file, text)
  const records = []
  for await (const record of recordsOf(file, syntax)) records.push(record)
  return records
}

const users = { array: 'users' }
const invalid = 'Not a JSON object'

test.each<[string, string, FileSyntax, [line: number, value: unknown][]]>([
  [
    'lines',
    '{"a":1}\n\n{"a":2}\r\n',
    {},
    [
      [1, { a: 1 }],
      [3, { a: 2 }],
    ],
  ],
  [
    'a last line without an end',
    '{"a":1}\n{"a":2}',
    {},
    [
      [1, { a: 1 }],
      [2, { a: 2 }],
    ],
  ],
  ['a byte order mark', '\uFEFF{"a":1}\n', {}, [[1, { a: 1 }]]],
  [
    'what is not an object',
    '{"a":1}\n[1]\nnull\n{"a"\n',
    {},
    [
      [1, { a: 1 }],
      [2, invalid],
      [3, invalid],
      [4, invalid],
    ],
  ],
  [
    'lines only',
    'a,b\n{"a":1}\n',
    { isLines: true },
    [
      [1, invalid],
      [2, { a: 1 }],
    ],
  ],
  [
    'an array',
    '[\n{"a":"}]\\""},\n {"a":{"b":[{}]}}\n]',
    {},
    [
      [2, { a: '}]"' }],
      [3, { a: { b: [{}] } }],
    ],
  ],
  [
    'an array of a document',
    '{"users":[{"a":1},{"a":2}]}',
    users,
    [
      [1, { a: 1 }],
      [1, { a: 2 }],
    ],
  ],
  [
    'only that array',
    '{"x":"users","y":[{"a":0}],"z":{"users":[{"a":0}]},\n"users" : [ {"a":1} ], "w":[{"a":0}]}',
    users,
    [[2, { a: 1 }]],
  ],
  ['an array instead of a document', '[{"a":1}]', users, [[1, { a: 1 }]]],
  [
    'a document that ends too early',
    '{"users":[{"a":1},\n{"a":',
    users,
    [
      [1, { a: 1 }],
      [2, 'The document ends too early'],
    ],
  ],
  [
    'an array that ends too early',
    '[{"a":1},\n',
    {},
    [
      [1, { a: 1 }],
      [2, 'The document ends too early'],
    ],
  ],
  ['a document without the array', '{"people":[{"a":1}]}', users, [[1, 'Has no array users']]],
  ['an empty array', '{"users":[]}', users, []],
  [
    'CSV with a quote that is not closed',
    'a,b\n1,2\n"3,4\n5,6\n',
    {},
    [
      [2, { a: '1', b: '2' }],
      [3, 'A quote is not closed'],
    ],
  ],
  [
    'CSV',
    'a,b\n1,2\n3,\n',
    {},
    [
      [2, { a: '1', b: '2' }],
      [3, { a: '3', b: '' }],
    ],
  ],
  [
    'CSV with quotes',
    'a,b\r\n"1,\n""x""",2\r\n"",NULL\r\n\\N,"NULL"\r\n',
    {},
    [
      [2, { a: '1,\n"x"', b: '2' }],
      [4, { a: '', b: null }],
      [5, { a: null, b: 'NULL' }],
    ],
  ],
  [
    'CSV without a line of names',
    '1,2,3\n4\n',
    { columns: ['a', 'b'] },
    [
      [1, { a: '1', b: '2' }],
      [2, { a: '4' }],
    ],
  ],
  [
    'CSV with too few fields',
    'a,b\n1\n1,2',
    {},
    [
      [2, 'Has 1 fields instead of 2'],
      [3, { a: '1', b: '2' }],
    ],
  ],
  ['an empty file', '', {}, []],
])('reads %s', async (_what, text, syntax, expected) => {
  expect(await read(text, syntax)).toEqual(expected.map(([line, value]) => ({ line, value })))
})

// A chunk of the file can end anywhere.
test('reads records that are longer than a chunk', async () => {
  const records = Array.from({ length: 40 }, (_, at) => ({ id: at, text: `"{[\\${'ä'.repeat(20_000 + at)}` }))
  const expected = records.map((value) => expect.objectContaining({ value }))
  expect(await read(records.map((each) => JSON.stringify(each)).join('\n'))).toEqual(expected)
  expect(await read(JSON.stringify(records, null, 1))).toEqual(expected)
  expect(await read(JSON.stringify({ meta: records, users: records }), users)).toEqual(expected)
  const csv = records.map(({ id, text }) => `${id},"${text.replaceAll('"', '""')}"`)
  const rows = records.map(({ id, text }) => expect.objectContaining({ value: { id: String(id), text } }))
  expect(await read(['id,text', ...csv].join('\n'))).toEqual(rows)
})

// One line of some gigabytes would fill the memory.
test.each([
  ['{"a":"', '"}\n{"a":"1"}', {}],
  ['[{"a":"', '"},{"a":"1"}]', {}],
  ['{"users":[{"a":"', '"},{"a":"1"}]}', users],
  ['a\n', '\n1', {}],
  ['a\n"', '"\n1', {}],
])(
  'a record of more than 1 MiB that begins with %j is refused, and the next one is read',
  async (start, end, syntax) => {
    const [long, next, ...others] = await read(start + 'x'.repeat(2_000_000) + end, syntax)
    expect(long?.value).toBe('Longer than 1 MiB')
    expect(next?.value).toEqual({ a: '1' })
    expect(others).toEqual([])
  },
)
