import { describe, expect, it } from 'vitest'
import { layOutLike } from '../../../src/merge/json-layout.ts'
import { mergeJsonText } from '../../../src/merge/merge-json-text.ts'
import type { Json } from '../../../src/system/json.ts'

const DISK = `{
  "name" : "my-api",
  "id": 12345678901234567890, "price": 1.10,
  "scripts": { "dev": "a", "test": "t \\"}\\u0041" },

  "files": ["a", "b"],
  "nested": {
      "deep": [ {"x": 1e3} ]
  },
  "empty": {}
}

`

describe('a JSON text with other values', () => {
  it('is the same, byte for byte, without changes', () => {
    expect(layOutLike(JSON.parse(DISK), DISK)).toBe(DISK)
  })

  it.each<[string, (value: Record<string, Json>) => void, string, string]>([
    ['a value', (value) => Object.assign(value, { name: 'x' }), '"my-api"', '"x"'],
    [
      'a value in an object on one line',
      ({ scripts }) => Object.assign(scripts ?? {}, { dev: 'b' }),
      '"a", "test"',
      '"b", "test"',
    ],
    [
      'a new key in an object on one line',
      ({ scripts }) => Object.assign(scripts ?? {}, { seed: 's' }),
      '\\u0041" }',
      '\\u0041", "seed": "s" }',
    ],
    [
      'a new list, laid out like others of JSON.stringify',
      (value) => Object.assign(value, { more: ['a', { b: 1 }] }),
      '"empty": {}',
      '"empty": {},\n  "more" : [\n    "a",\n    {\n      "b": 1\n    }\n  ]',
    ],
    [
      'a key in an empty object',
      ({ empty }) => Object.assign(empty ?? {}, { a: 1 }),
      '"empty": {}',
      '"empty": {\n    "a": 1\n  }',
    ],
    ['a removed key', (value) => delete value.files, '\n\n  "files": ["a", "b"],', ''],
    ['the last key removed', (value) => delete value.empty, ',\n  "empty": {}', ''],
    [
      'a value in a list',
      ({ files }) => (files as Json[]).push('c'),
      '["a", "b"]',
      '[\n    "a",\n    "b",\n    "c"\n  ]',
    ],
  ])('changes only there: %s', (_, change, part, by) => {
    const value = JSON.parse(DISK)
    change(value)
    expect(layOutLike(value, DISK)).toBe(DISK.replace(part, () => by))
  })

  it('keeps keys of the prototype', () => {
    const text = '{"__proto__":1, "a":2}'
    expect(layOutLike(JSON.parse('{"__proto__":1,"a":3}'), text)).toBe('{"__proto__":1, "a":3}')
  })
})

it('a merge by key changes nothing else in the text', () => {
  const base = '{\n  "name": "a",\n  "dependencies": {\n    "zod": "^4"\n  }\n}\n'
  const disk = `{\n  "name": "a",\n  "build": 12345678901234567890,\n  "files": ["a", "b"],\n  "dependencies": {\n    "ms": "2",\n    "zod": "^4"\n  }\n}\n`
  const next = base.replace('    "zod"', '    "jose": "6",\n    "zod"')
  expect(mergeJsonText(base, disk, next, 'complete B')).toEqual({
    conflicts: 0,
    text: disk.replace('    "ms"', '    "jose": "6",\n    "ms"'),
  })
})
