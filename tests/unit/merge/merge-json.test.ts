import { describe, expect, it } from 'vitest'
import { mergeJson } from '../../../src/merge/merge-json.ts'
import type { Json } from '../../../src/system/json.ts'

const merge = (base?: Json, disk?: Json, next?: Json) => mergeJson(base, disk, next)
const value = (base?: Json, disk?: Json, next?: Json) => {
  const merged = merge(base, disk, next)
  expect(merged.conflicts).toEqual([])
  return merged.value
}

describe('one value, three ways', () => {
  it.each<[string, Json | undefined, Json | undefined, Json | undefined, Json | undefined]>([
    ['neither side changed it', 1, 1, 1, 1],
    ['only the owner changed it', 1, 2, 1, 2],
    ['only the generator changed it', 1, 1, 2, 2],
    ['both changed it alike', 1, 2, 2, 2],
    ['both added it alike', undefined, [1], [1], [1]],
    ['the owner removed it', 1, undefined, 1, undefined],
    ['the owner removed what the generator changed', 1, undefined, 2, undefined],
    ['the generator removed it', 1, 1, undefined, undefined],
    ['the generator removed what the owner changed', 1, 2, undefined, 2],
    ['only the owner has it', undefined, 1, undefined, 1],
    ['only the generator has it', undefined, undefined, 1, 1],
    ['a list is one value', [1, 2], [1, 2, 3], [1, 2], [1, 2, 3]],
    ['null is a value', null, null, 0, 0],
    ['the order of keys is not a change', { a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1, b: 3 }, { b: 3, a: 1 }],
  ])('%s', (_, base, disk, next, expected) => {
    expect(value(base, disk, next)).toEqual(expected)
  })

  it.each<[string, Json | undefined, Json, Json]>([
    ['changed both ways', 1, 2, 3],
    ['added both ways', undefined, 2, 3],
    ['a list changed both ways', [1], [1, 2], [1, 3]],
    ['an object against a value', { a: 1 }, 'x', { a: 2 }],
    ['a list is not an object', [], { a: 1 }, { b: 1 }],
  ])('a conflict keeps the value of the disk: %s', (_, base, disk, next) => {
    expect(merge(base, disk, next)).toEqual({ value: disk, conflicts: [{ path: [], disk, next }] })
  })
})

describe('objects', () => {
  it('are merged key by key, and conflicts name their keys', () => {
    const base = { scripts: { dev: 'a', test: 't', old: 'o' }, dependencies: { zod: '^4' } }
    const disk = {
      scripts: { dev: 'mine', test: 't', old: 'o', seed: 's' },
      dependencies: { zod: '^4', pino: '9' },
    }
    const next = { scripts: { dev: 'b', test: 't2' }, dependencies: { jose: '6', zod: '^4' }, type: 'module' }
    expect(merge(base, disk, next)).toEqual({
      value: {
        scripts: { dev: 'mine', test: 't2', seed: 's' },
        dependencies: { jose: '6', pino: '9', zod: '^4' },
        type: 'module',
      },
      conflicts: [{ path: ['scripts', 'dev'], disk: 'mine', next: 'b' }],
    })
  })

  it('that the generator removes keep what the owner added or changed in them', () => {
    expect(value({ m: { a: 1, b: 2 } }, { m: { a: 1, b: 3, c: 4 } }, {})).toEqual({ m: { b: 3, c: 4 } })
    expect(value({ m: { a: 1, b: 2 } }, { m: { b: 2 } }, {})).toEqual({})
  })

  it('that the owner removed come back only with new keys', () => {
    expect(value({ m: { a: 1 } }, {}, { m: { a: 2 } })).toEqual({})
    expect(value({ m: { a: 1 } }, {}, { m: { a: 2, b: 1 } })).toEqual({ m: { b: 1 } })
  })

  it('that the owner emptied stay, and stay empty', () => {
    expect(value({ m: { a: 1 } }, { m: {} }, { m: { a: 2 } })).toEqual({ m: {} })
  })

  it('that both added are merged', () => {
    expect(value(undefined, { a: 1 }, { b: 2 })).toEqual({ a: 1, b: 2 })
  })

  it('keep the order of the disk, new keys after the key that they follow in the new text', () => {
    const merged = value({ b: 1, a: 1 }, { z: 0, b: 1, mine: 1, a: 1 }, { first: 1, b: 1, x: 1, a: 2 })
    expect(JSON.stringify(merged)).toBe('{"first":1,"z":0,"b":1,"x":1,"mine":1,"a":2}')
  })

  it('stay in alphabetical order if both sides are', () => {
    const merged = value({ a: 1 }, { a: 1, m: 1 }, { a: 1, z: 1 })
    expect(JSON.stringify(merged)).toBe('{"a":1,"m":1,"z":1}')
  })

  it('may have keys of the prototype, which stay keys', () => {
    const disk = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
    const merged = value({}, disk, { toString: 'a', a: 1 })
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
    expect(JSON.parse(JSON.stringify(merged))).toEqual({
      toString: 'a',
      a: 1,
      ...JSON.parse(JSON.stringify(disk)),
    })
    expect(Object.keys(merged as object).sort()).toEqual(['__proto__', 'a', 'constructor', 'toString'])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(value({ toString: 1 }, { toString: 1, a: 1 }, {})).toEqual({ a: 1 })
    expect(value({}, { a: 1 }, { constructor: 'x' })).toEqual({ a: 1, constructor: 'x' })
  })
})
