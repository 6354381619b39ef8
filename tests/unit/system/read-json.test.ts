import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { decodeUtf8, JsonFault, readJson } from '../../../src/system/read-json.ts'

const schema = z.strictObject({
  formatVersion: z.literal(1).optional(),
  names: z.array(z.string()).optional(),
  deep: z.record(z.string(), z.unknown()).optional(),
})
const read = (text: string) => readJson(text, schema, 1)

describe('untrusted JSON', () => {
  it('is read, with or without a byte order mark', () => {
    expect(read('{"names":["a"]}')).toEqual({ names: ['a'] })
    expect(read('\ufeff{}')).toEqual({})
    expect(decodeUtf8(Buffer.from('\ufeffä'))).toBe('ä')
  })

  it.each([
    ['half an object', '{"names":', 'is not JSON'],
    ['a list', '[]', 'must contain one JSON object'],
    ['a deep list', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'must contain one JSON object'],
    ['an unknown member', '{"nam\\ne":[]}', 'has the unknown key "nam\ne"'],
    ['a prototype', '{"__proto__":{}}', 'has the unknown key "__proto__"'],
    ['a prototype far down', '{"deep":{"a":[{"\\u005f_proto__":1}]}}', 'has the unknown key "__proto__"'],
    ['an invalid member', '{"names":["a",1]}', 'is damaged at names.1: Invalid input'],
  ])('is refused: %s', (_, text, message) => {
    expect(() => read(text)).toThrow(JsonFault)
    expect(() => read(text)).toThrow(message)
  })

  it('of a newer format is refused with what to do, before its members are looked at', () => {
    expect(() => read('{"formatVersion":2,"news":1}')).toThrow(
      expect.objectContaining({
        message: 'was written by a newer create-authsmith',
        fix: 'Update create-authsmith.',
      }),
    )
  })

  it('of a deeply nested object does not overflow the stack', () => {
    const text = `{"deep":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`
    expect(read(text)).toHaveProperty('deep.a')
  })

  it('must be UTF-8', () => {
    expect(() => decodeUtf8(Buffer.from([0x7b, 0xff]))).toThrow('is not text')
  })

  it('gives the invalid value, for a message that shows it', () => {
    expect(() => read('{"names":7}')).toThrow(
      expect.objectContaining({ at: expect.objectContaining({ path: ['names'], value: 7 }) }),
    )
  })
})
