import { describe, expect, it } from 'vitest'
import { mergeJsonText } from '../../../src/merge/merge-json-text.ts'
import { MARKER, mergeText } from '../../../src/merge/merge-text.ts'

describe('merging by line', () => {
  it('applies both changes if they do not touch', () => {
    const base = 'a\nb\nc\nd\ne\n'
    expect(mergeText(base, 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n', 'x')).toEqual({
      text: 'A\nb\nc\nd\nE\n',
      conflicts: 0,
    })
    expect(mergeText(base, 'b\nc\nd\ne\n', 'a\nb\nc\nd\ne\nf\n', 'x')).toEqual({
      text: 'b\nc\nd\ne\nf\n',
      conflicts: 0,
    })
    expect(mergeText(base, 'a\nX\nc\nd\ne\n', 'a\nX\nc\nd\ne\n', 'x')).toEqual({
      text: 'a\nX\nc\nd\ne\n',
      conflicts: 0,
    })
  })

  it('marks only what differs', () => {
    const merged = mergeText('a\nb\nc\n', 'a\nsame\nmine\nend\nc\n', 'a\nsame\nours\nend\nc\n', 'basic A')
    expect(merged).toEqual({
      text: 'a\nsame\n<<<<<<< yours\nmine\n=======\nours\n>>>>>>> create-authsmith: basic A\nend\nc\n',
      conflicts: 1,
    })
  })

  it('counts conflicts, however many there are', () => {
    const lines = (sign: string) =>
      Array.from({ length: 300 }, (_, i) => `${i}${i % 2 ? '' : sign}`).join('\n')
    expect(mergeText(lines(''), lines('a'), lines('b'), 'x').conflicts).toBe(150)
  })

  it('writes markers that it finds again, and does not mistake other text for one', () => {
    for (const label of ['none', 'complete B']) expect(mergeText('a', 'b', 'c', label).text).toMatch(MARKER)
    expect('Title\n=======\n').not.toMatch(MARKER)
    expect('x <<<<<<< yours\n<<<<<<< HEAD\n').not.toMatch(MARKER)
  })

  it('keeps an end without a line break', () => {
    expect(mergeText('a\nb\nc\n', 'a\nb\nc', 'A\nb\nc\n', 'x')).toEqual({ text: 'A\nb\nc', conflicts: 0 })
    expect(mergeText('a\nb\nc', 'a\nb\nc', 'a\nb\nc\n', 'x')).toEqual({ text: 'a\nb\nc\n', conflicts: 0 })
    expect(mergeText(undefined, 'a', 'b', 'x').text).toBe(
      '<<<<<<< yours\na\n=======\nb\n>>>>>>> create-authsmith: x',
    )
  })

  it('accepts empty texts', () => {
    expect(mergeText('', '', 'a\n', 'x')).toEqual({ text: 'a\n', conflicts: 0 })
    expect(mergeText('a\n', '', 'a\n', 'x')).toEqual({ text: '', conflicts: 0 })
    expect(mergeText(undefined, '', 'a\n', 'x').conflicts).toBe(1)
  })
})

describe('merging JSON texts', () => {
  it('keeps the layout if merging by line leads to the same values', () => {
    const base = '{ "a": [1, 2],\n  "b": 1,\n\n  "c": 1\n}'
    const merged = mergeJsonText(
      base,
      base.replace('"b": 1', '"b": 2'),
      base.replace('"c": 1', '"c": 3'),
      'x',
    )
    expect(merged).toEqual({ text: '{ "a": [1, 2],\n  "b": 2,\n\n  "c": 3\n}', conflicts: 0 })
  })

  it('merges adjacent lines by their keys, with the indentation of the disk', () => {
    const merged = mergeJsonText(
      '{\n\t"a": 1\n}\n',
      '{\n\t"a": 1,\n\t"b": 1\n}\n',
      '{\n  "a": 1,\n  "c": 1\n}\n',
      'x',
    )
    expect(merged).toEqual({ text: '{\n\t"a": 1,\n\t"b": 1,\n\t"c": 1\n}\n', conflicts: 0 })
  })

  it('does not merge by line if that leads to other values', () => {
    // By line, both sides' moves of one key would leave it twice.
    const base = '{\n  "a": 1,\n  "m": 1,\n  "n": 1,\n  "z": 1\n}\n'
    const disk = '{\n  "k": 1,\n  "a": 1,\n  "m": 1,\n  "n": 1,\n  "z": 1\n}\n'
    const next = '{\n  "a": 1,\n  "m": 1,\n  "n": 1,\n  "k": 1,\n  "z": 1\n}\n'
    expect(mergeJsonText(base, disk, next, 'x')).toEqual({ text: disk, conflicts: 0 })
  })

  it('treats a list as one value, even if its changes are far apart', () => {
    const list = (...items: string[]) => `${JSON.stringify({ files: items }, null, 2)}\n`
    const merged = mergeJsonText(
      list('a', 'b', 'c'),
      list('mine', 'a', 'b', 'c'),
      list('a', 'b', 'c', 'ours'),
      'x',
    )
    expect(merged?.conflicts).toBeGreaterThan(0)
  })

  it('puts markers around the keys in conflict only', () => {
    const file = (dev: string, zod: string, more = '') =>
      `{\n  "scripts": {\n    "dev": "${dev}",\n    "test": "t"\n  },\n  "dependencies": {\n    "zod": "${zod}"${more}\n  }\n}\n`
    const merged = mergeJsonText(
      file('a', '4'),
      file('mine', '4', ',\n    "mine": "1"'),
      file('ours', '5'),
      'basic A',
    )
    expect(merged?.conflicts).toBe(1)
    expect(merged?.text).toBe(
      file('mine', '5', ',\n    "mine": "1"').replace(
        '    "dev": "mine",\n',
        '<<<<<<< yours\n    "dev": "mine",\n=======\n    "dev": "ours",\n>>>>>>> create-authsmith: basic A\n',
      ),
    )
  })

  it.each(['// comment\n{}', '{"a":{"b":1,"b":2}}', '[1]', '', '{', 'null'])(
    'leaves %j to the merge by line',
    (text) => {
      expect(mergeJsonText('{}', text, '{"a":1}', 'x')).toBeUndefined()
    },
  )
})
