import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadMailTemplates } from '../../src/mail/templates.ts'
import { templateVariables } from '../support/mail-settings.ts'

const templates = await loadMailTemplates()

const readTemplate = (file: string) => readFile(new URL(`../../emails/${file}`, import.meta.url), 'utf8')

/** Loads templates from the given files. */
async function load(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'test-emails-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return loadMailTemplates(folder)
}

test('there is exactly one template for each mail', () => {
  expect(templates.names.toSorted()).toEqual(Object.keys(templateVariables).toSorted())
})

describe.each(Object.entries(templateVariables))('%s', (name, names) => {
  const values = Object.fromEntries(names.map((variable) => [variable, `value-of-${variable}`]))

  test('uses exactly the listed variables', async () => {
    const { html, text } = templates.render(name, values)
    for (const value of Object.values(values)) {
      expect(html).toContain(value)
      expect(text).toContain(value)
    }
    for (const variable of names) {
      const { [variable]: _, ...others } = values
      expect(() => templates.render(name, others)).toThrow(variable)
    }
    expect(html + text).not.toMatch(/\{\{|\}\}/)
  })

  test('is small, has a language, a title and both color schemes, and loads nothing', async () => {
    const html = await readTemplate(`${name}.html`)
    expect(Buffer.byteLength(html)).toBeLessThan(4_000)
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).toMatch(/<title>[^<]+<\/title>/)
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
    expect(html).toContain('@media (prefers-color-scheme: dark)')
    expect(html.match(/<h1/g)).toHaveLength(1)
    expect(html).not.toMatch(/<(script|img|link|iframe|form)|url\(|@import|src=|https?:/i)
  })

  test('escapes variables in HTML but not in text', () => {
    const evil = `<img src=x onerror="alert('1')">&`
    const { html, text } = templates.render(
      name,
      Object.fromEntries(names.map((variable) => [variable, `${evil}${variable}`])),
    )
    expect(html).not.toContain('<img')
    expect(html).not.toContain('onerror="')
    expect(html).toContain('&lt;img')
    expect(text).toContain(evil)
  })
})

test.each([
  ['a file is missing', { 'a.html': 'a' }, 'a.txt'],
  ['the HTML file is missing', { 'a.txt': 'a' }, 'a.html'],
  ['a tag is unescaped ({{{)', { 'a.html': '{{{b}}}', 'a.txt': '' }, 'emails/a.html: only {{name}}'],
  ['a tag is unescaped ({{&)', { 'a.html': '{{&b}}', 'a.txt': '' }, 'emails/a.html: only {{name}}'],
  ['a tag is a section', { 'a.html': '', 'a.txt': '{{#b}}{{/b}}' }, 'emails/a.txt: only {{name}}'],
  ['a tag is not closed', { 'a.html': '{{b', 'a.txt': '' }, 'Unclosed tag'],
])('the service does not start when %s', async (_case, files, message) => {
  await expect(load(files)).rejects.toThrow(message)
})

test('a mail with an unknown template or a missing variable is refused when it is queued', async () => {
  const own = await load({ 'a.html': '{{b}}', 'a.txt': '{{c}}' })
  expect(() => own.render('d', {})).toThrow('emails/d.html')
  expect(() => own.render('a', { b: '' })).toThrow('The template a needs c')
  expect(() => own.render('a', { b: '', toString: '' })).toThrow('needs c')
  expect(own.render('a', { b: '', c: '' })).toEqual({ html: '', text: '' })
})
