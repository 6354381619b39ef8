import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FileSyntax, recordsOf } from '../../src/import/records.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function read(text: string | Buffer, syntax: FileSyntax = {}) {
  const file = join(await temporaryFolder(), 'users')
  await writeFile(file, text)
  const named = new Set<string>()
  const records: [line: number, value: unknown][] = []
  for await (const { line, value } of recordsOf(file, { email: ['a'], ...syntax }, named))
    records.push([line, value])
  return { records, named: [...named] }
}

const invalid = 'Not a JSON object'
const stray = 'A quote inside of a field: it has to be doubled, and the field in quotes'

test.each<[string, string, [line: number, value: unknown][], FileSyntax?]>([
  [
    'lines',
    '{"a":"x"}\n\n{"a":true}\r\n{"a":null}',
    [
      [1, { a: 'x' }],
      [3, { a: true }],
      [4, { a: null }],
    ],
  ],
  [
    'numbers as texts',
    '{"a":12345678901234567890,"b":["1,2",-1.50]}',
    [[1, { a: '12345678901234567890', b: ['1,2', '-1.50'] }]],
  ],
  ['a byte order mark', '\uFEFF{"a":1}\n', [[1, { a: '1' }]]],
  [
    'what is not an object',
    '{"a":1}\n[1]\nnull\n{"a"\n{"a":1}',
    [
      [1, { a: '1' }],
      [2, invalid],
      [3, invalid],
      [4, invalid],
      [5, { a: '1' }],
    ],
  ],
  [
    'lines only',
    'a,b\n{"a":1}\n',
    [
      [1, invalid],
      [2, { a: '1' }],
    ],
    { isJson: true },
  ],
  [
    'an array',
    '[\n{"a":"}]\\""},\n 7, {"a":{"b":[{},9007199254740993]}}\n]',
    [
      [2, { a: '}]"' }],
      [3, invalid],
      [3, { a: { b: [{}, '9007199254740993'] } }],
    ],
  ],
  [
    'an array of a document',
    '{"users":[{"a":1},{"a":2}]}',
    [
      [1, { a: '1' }],
      [1, { a: '2' }],
    ],
  ],
  [
    'lines of a document',
    '{\n"x": [{"a":0}],\n"users": [\n{"a":\n1},\n{"a":2}]\n}',
    [
      [4, { a: '1' }],
      [6, { a: '2' }],
    ],
  ],
  [
    'only that array',
    '{"x":"users","y":[{"a":0}],"z":{"users":[{"a":0}]},\n"users" : [ {"a":1} ], "w":[{"a":0}]}',
    [[2, { a: '1' }]],
  ],
  [
    'JSON of phpMyAdmin',
    '[\n{"type":"header","comment":"x"},\n{"type":"table","name":"users","data":\n[\n{"a":"1"},\n{"a":"2"}\n]\n}\n]',
    [
      [5, { a: '1' }],
      [6, { a: '2' }],
    ],
  ],
  [
    'a document that ends too early',
    '{"users":[{"a":1},\n{"a":',
    [
      [1, { a: '1' }],
      [2, 'The document ends too early'],
    ],
  ],
  [
    'an array that ends too early',
    '[{"a":1},\n',
    [
      [1, { a: '1' }],
      [2, 'The document ends too early'],
    ],
  ],
  [
    'a document that is damaged',
    '[{"a":1},\n{"a":x},{"a":2}]',
    [
      [1, { a: '1' }],
      [2, 'Not JSON. What follows was not read'],
    ],
  ],
  [
    'what follows a document',
    '[{"a":1}]\n[{"a":2}]',
    [
      [1, { a: '1' }],
      [2, 'Not JSON. What follows was not read'],
    ],
  ],
  ['an empty array', '{"users":[]}', []],
  [
    'CSV',
    'a,b\n1,2\n3,\n\n4,5',
    [
      [2, { a: '1', b: '2' }],
      [3, { a: '3', b: '' }],
      [5, { a: '4', b: '5' }],
    ],
  ],
  [
    'CSV with quotes',
    'a,"b"\r\n"1,\n""x""",2\r\n"",NULL\r\n\\N,"NULL"\r\n',
    [
      [2, { a: '1,\n"x"', b: '2' }],
      [4, { a: '', b: null }],
      [5, { a: null, b: 'NULL' }],
    ],
  ],
  [
    'CSV with quotes in the middle of fields, and goes on at the next line',
    'a,b\n1,2" x\n"3" x,4\n5,"6\n7,8\n9,"0"\n',
    [
      [2, stray],
      [3, stray],
      [4, stray],
      [5, { a: '7', b: '8' }],
      [6, { a: '9', b: '0' }],
    ],
  ],
  [
    'CSV with a quote that is not closed',
    'a,b\n1,2\n"3,4\n5,6\n',
    [
      [2, { a: '1', b: '2' }],
      [3, 'A quote is not closed'],
      [4, { a: '5', b: '6' }],
    ],
  ],
  [
    'CSV whose two quotes would hide records',
    'a,b,c\n1,x@x,"5\n2,y@x,Y\n3,z@x,Z"\n4,v@x,"two\nlines, of text"\n',
    [
      [2, 'A quote is not closed, or a field contains other records'],
      [5, { a: '4', b: 'v@x', c: 'two\nlines, of text' }],
    ],
  ],
  [
    'CSV with another number of fields',
    'a,b\n1\n1,2,3\n1,2',
    [
      [2, 'Has 1 fields instead of 2'],
      [3, 'Has 3 fields instead of 2'],
      [4, { a: '1', b: '2' }],
    ],
  ],
  [
    'CSV without a line of names',
    '1,2\n3\n',
    [
      [1, { a: '1', b: '2' }],
      [2, 'Has 1 fields instead of 2'],
    ],
    { columns: ['a', 'b'] },
  ],
])('reads %s', async (_what, text, expected, syntax) => {
  expect((await read(text, syntax)).records).toEqual(expected)
})

const utf16 = (text: string) => Buffer.from(text, 'utf16le')

test.each<[string, string | Buffer]>([
  ['; between fields', 'a;b\n1;2,3\n'],
  ['tabs between fields', 'a\tb\n1\t"2,3"\n'],
  ['UTF-16LE', utf16('\uFEFFa,b\r\n1,"2,3"\r\n')],
  ['UTF-16LE', utf16('a,b\n1,"2,3"\n')],
  ['UTF-16BE', utf16('\uFEFFa,b\n1,"2,3"\n').swap16()],
  ['lines that end with CR', 'a,b\r1,"2,3"\r'],
])('reads and names %s', async (name, text) => {
  expect(await read(text)).toEqual({ records: [[2, { a: '1', b: '2,3' }]], named: [name] })
})

// A user of the other system could write a line into their name, which then is a record: with the email of another one.
test.each([
  ['a quote and a line break', 'a,b\n"1","x\\"\\\n666,evil\n"\n2,y\n'],
  ['a line break', 'a,b\n1,x\\\n666,evil\n'],
  ['two fields', 'a,b,c\n"1","x\\"",",y\\\n666,evil,evil\n"\n'],
])("no record of a file with MySQL's backslash escapes is read: %s", async (_what, text) => {
  const { records, named } = await read(text)
  expect(named).toEqual(["MySQL's backslash escapes"])
  for (const [, value] of records) expect(value).toContain("Has MySQL's backslash escapes")
})

test('JSON in CSV has backslashes, too', async () => {
  const json = JSON.stringify({ name: 'a "b" \\', path: 'c:\\' })
  const quoted = `"${json.replaceAll('"', '""')}"`
  expect(await read(`a,b\n1,${quoted}\n`)).toEqual({ records: [[2, { a: '1', b: json }]], named: [] })
})

test.each(['{"a":"1","b":"\xff"}\n', '[{"a":"1","b":"\xff"},\n', 'a,b\n1,\xff\n'])(
  'bytes that are not UTF-8 refuse their record: %j',
  async (text) => {
    const end = text.startsWith('[')
      ? '{"a":"2","b":"3"}]'
      : text.startsWith('{')
        ? '{"a":"2","b":"3"}'
        : '2,3'
    const { records } = await read(Buffer.from(text + end, 'latin1'))
    expect(records.map(([, value]) => value)).toEqual(['Has bytes that are not UTF-8', { a: '2', b: '3' }])
  },
)

test.each([
  ['', ' is empty.'],
  [' \n\n', ' is empty.'],
  ['1,2\n', 'The file has no line of column names, or none of them is a.'],
  ['a,b,a\n', 'The file has two columns of the same name.'],
])('refuses the file %j', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message)
})

// A chunk of the file can end anywhere.
test('reads records that are longer than a chunk', async () => {
  const records = Array.from({ length: 40 }, (_, at) => ({
    a: `${at}`,
    text: `"{[\\${'ä'.repeat(20_000 + at)}`,
  }))
  const valuesOf = async (text: string) => (await read(text)).records.map(([, value]) => value)
  expect(await valuesOf(records.map((each) => JSON.stringify(each)).join('\n'))).toEqual(records)
  expect(await valuesOf(JSON.stringify(records, null, 1))).toEqual(records)
  expect(await valuesOf(JSON.stringify({ meta: records, users: records }, null, 1))).toEqual(records)
  const csv = records.map(({ a, text }) => `${a},"${text.replaceAll('"', '""')}"`)
  expect(await valuesOf(['a,text', ...csv].join('\n'))).toEqual(records)
})

// One line of some gigabytes would fill the memory. What it contains is no record: a user can have written it.
test.each([
  ['{"a":"', '"}\n{"a":"1"}'],
  ['[{"a":"', '"},{"a":"1"}]'],
  ['{"users":[{"a":"', '"},{"a":"1"}]}'],
  ['a\n', '\n1'],
  ['a\n"', '"\n1'],
  ['a\n"', '\n666\n"\n1'],
  ['a\n"\n666\n', '\n666\n"\n1'],
])(
  'a record of more than 1 MiB that begins with %j is refused, and the next one is read',
  async (start, end) => {
    const { records } = await read(start + 'x'.repeat(2_000_000) + end)
    expect(records.map(([, value]) => value)).toEqual(['Longer than 1 MiB', { a: '1' }])
  },
)

test('a record of many lines is not longer than 1 MiB either', async () => {
  const { records } = await read(`a\n"${'666\n'.repeat(400_000)}"\n1\n`)
  expect(records).toEqual([
    [2, 'Longer than 1 MiB'],
    [400_003, { a: '1' }],
  ])
})
