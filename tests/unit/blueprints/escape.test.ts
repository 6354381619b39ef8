import { describe, expect, it } from 'vitest'
import { escaperFor } from '../../../src/blueprints/escape.ts'
import { HOSTILE } from '../hostile-text.ts'

describe('escapers', () => {
  it.each(HOSTILE)('TypeScript: %j stays one single-quoted string', (value) => {
    const source = `'${escaperFor('src/a.ts')(value)}'`
    expect(source).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
    expect(new Function(`'use strict'; return ${source}`)()).toBe(value)
  })

  it.each(HOSTILE)('JSON and YAML: %j stays one double-quoted string', (value) => {
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

  it('HTML: no markup and no end of an attribute, a line break is refused', () => {
    const escaped = escaperFor('pages/a.html')
    expect(escaped('my-api_2.x')).toBe('my-api_2.x')
    expect(escaped(`<b>&"'`)).toBe('&#60;b&#62;&#38;&#34;&#39;')
    expect(() => escaped('a\nb')).toThrow('control character')
  })

  it.each(['.env.example', 'Dockerfile'])('%s: takes plain words, refuses what would need quotes', (path) => {
    const escaped = escaperFor(path)
    expect(escaped('npm ci')).toBe('npm ci')
    for (const value of ['a\nB=1', '$HOME', '`id`', '"', "'", 'a\\', '\u001b']) {
      expect(() => escaped(value)).toThrow()
    }
  })

  it('refuses a format that it does not know', () => {
    expect(() => escaperFor('a.svg')).toThrow('no escaper')
    expect(() => escaperFor('constructor')).toThrow('no escaper')
  })
})
