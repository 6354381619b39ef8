import { describe, expect, it } from 'vitest'
import { escaperFor, shellWord, visible, visibleJson } from '../../src/escape.ts'

const hostile = [
  'plain',
  `'"\``,
  `'; process.exit() //`,
  '\\',
  "\\'",
  '${x}',
  'a\nb\r\u2028\u2029',
  '\0\u001b[31m\u007f\u009b',
  '\u202e\u2066\u200b\ufeff',
  '\ud800',
  '😀',
  '<%= x %>',
  '*/ */',
]

describe('escapers', () => {
  it.each(hostile)('TypeScript: %j stays one single-quoted string', (value) => {
    const source = `'${escaperFor('src/a.ts')(value)}'`
    expect(source).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
    expect(new Function(`'use strict'; return ${source}`)()).toBe(value)
  })

  it.each(hostile)('JSON and YAML: %j stays one double-quoted string', (value) => {
    for (const path of ['a.json', '.github/workflows/a.yml', 'compose.yaml']) {
      const text = `"${escaperFor(path)(value)}"`
      expect(text).not.toMatch(/\p{Cc}/u)
      expect(JSON.parse(text)).toBe(value)
    }
  })

  it('Markdown: marks lose their meaning, a line break is refused', () => {
    const escaped = escaperFor('README.md')
    expect(escaped('my-api_2.x')).toBe('my-api_2.x')
    expect(escaped('[a](b) <script> `c` | *')).toBe('\\[a\\](b) \\<script\\> \\`c\\` \\| \\*')
    expect(() => escaped('a\n# b')).toThrow('control character')
  })

  it.each(['.env.example', 'Dockerfile'])('%s: takes plain words, refuses what would need quotes', (path) => {
    const escaped = escaperFor(path)
    expect(escaped('npm ci')).toBe('npm ci')
    for (const value of ['a\nB=1', '$HOME', '`id`', '"', "'", 'a\\', '\u001b']) {
      expect(() => escaped(value)).toThrow()
    }
  })

  it('refuses a format that it does not know', () => {
    expect(() => escaperFor('a.html')).toThrow('no escaper')
    expect(() => escaperFor('constructor')).toThrow('no escaper')
  })
})

describe('what is echoed', () => {
  it('shows control, bidirectional, invisible and broken characters as escapes', () => {
    expect(visible('a\u001b[31mb\u009b\u202e\u2028\u200b\ud800\n\u007fé😀')).toBe(
      'a\\u{1b}[31mb\\u{9b}\\u{202e}\\u{2028}\\u{200b}\\u{d800}\\u{a}\\u{7f}é😀',
    )
  })

  it('keeps the meaning of JSON', () => {
    const value = { text: hostile.join(''), tag: '\u{e0041}' }
    const json = visibleJson(JSON.stringify(value, null, 2))
    expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    expect(JSON.parse(json)).toEqual(value)
  })

  it('quotes what a shell would take apart', () => {
    expect(shellWord('../my-api')).toBe('../my-api')
    expect(shellWord("it's; rm -rf")).toBe(`'it'\\''s; rm -rf'`)
    expect(shellWord('')).toBe("''")
  })
})
