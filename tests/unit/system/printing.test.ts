import { describe, expect, it } from 'vitest'
import { alternatives, shellWord, visible, visibleJson } from '../../../src/system/printing.ts'
import { HOSTILE } from '../hostile-text.ts'

describe('printed input', () => {
  it('shows control, bidirectional, invisible and broken characters as escapes', () => {
    expect(visible('a\u001b[31mb\u009b\u202e\u2028\u200b\ud800\n\u007fé😀')).toBe(
      'a\\u{1b}[31mb\\u{9b}\\u{202e}\\u{2028}\\u{200b}\\u{d800}\\u{a}\\u{7f}é😀',
    )
  })

  it('keeps the meaning of JSON', () => {
    const value = { text: HOSTILE.join(''), tag: '\u{e0041}' }
    const json = visibleJson(JSON.stringify(value, null, 2))
    expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    expect(JSON.parse(json)).toEqual(value)
  })

  it('quotes what a shell would split', () => {
    expect(shellWord('../my-api')).toBe('../my-api')
    expect(shellWord("it's; rm -rf")).toBe(`"it's; rm -rf"`)
    expect(shellWord('')).toBe("''")
  })

  it('quotes for all shells alike, if no shell replaces a part of it', () => {
    expect(shellWord('..\\my work\\my-api')).toBe('"..\\my work\\my-api"')
    for (const word of ['$HOME/a b', 'a `b`', '"a b"', 'a %PATH%', 'a b!', '\\\\host\\a b', 'a b\\'])
      expect(shellWord(word)).toBe(`'${word}'`)
    expect(shellWord("it's $5")).toBe(`'it'\\''s $5'`)
  })
})

it.each([
  [['a'], 'a'],
  [['a', 'b'], 'a or b'],
  [['a', 'b', 'c'], 'a, b or c'],
])('alternatives(%j) is %j', (values, text) => {
  expect(alternatives(values)).toBe(text)
})
