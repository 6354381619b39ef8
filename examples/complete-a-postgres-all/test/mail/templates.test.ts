import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { brandVariables } from '../../src/appearance.ts'
import { loadMailTemplates } from '../../src/mail/templates.ts'
import { templateVariables } from '../support/mail-settings.ts'
import { mailTemplates, valuesOf } from '../support/mail-templates.ts'
import { testConfig } from '../support/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const brand = { ...brandVariables(testConfig({})), language: 'en' }
const templates = await mailTemplates()

/** Loads templates from the given files. */
async function load(files: Record<string, string>, own = {}) {
  const folder = await temporaryFolder()
  const layouts = { 'layout.mustache': '{{> body}}', 'layout.txt': '{{> body}}' }
  for (const [name, content] of Object.entries({ ...layouts, ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return loadMailTemplates({ ...brand, ...own }, folder)
}

describe.each(Object.entries(templateVariables))('%s', (name, names) => {
  const values = Object.fromEntries(names.map((variable) => [variable, `value-of-${variable}`]))

  test('needs no variable that it does not get, and shows its code or link', () => {
    const { html, text } = templates.render(name, values)
    const tokens = names.filter((variable) => /^code$|_url$/.test(variable))
    for (const body of tokens.length > 0 ? [html, text] : [])
      expect(tokens.filter((variable) => body.includes(`value-of-${variable}`))).not.toEqual([])
  })
})

describe.each(templates.names)('%s', async (name) => {
  const { html, subject, text } = templates.render(name, await valuesOf(name, String))

  test('has a subject and a language, and all its variables are replaced', () => {
    expect(subject).toMatch(/^\S[^\n{}]*$/)
    expect(html).toMatch(/^\s*<!doctype html/i)
    expect(html).toMatch(/<html[^>]*\slang=["']?\w+/i)
    expect(html + text).not.toContain('{{')
  })

  // Gmail cuts off a mail of more than 102 KB.
  test('is small', () => {
    expect(Buffer.byteLength(html)).toBeLessThan(100_000)
  })
})

test('the sender name is the name of the service', () => {
  const named = testConfig({ EMAIL_FROM_NAME: '<b>Shop</b>', EMAILS_FROM_NAME: '<b>Shop</b>' })
  expect(brandVariables(named).app_name).toBe('<b>Shop</b>')
})

test('every mail can name the product, the contact and where to continue', async () => {
  const own = { app_name: 'Shop', contact: 'help@shop.example', site_url: 'https://shop.example/start' }
  const template =
    '<h1>News from {{app_name}}</h1><p>{{contact}}</p><p><a href="{{site_url}}">Continue</a></p>'
  const { subject, html, text } = (await load({ 'a.html': template }, own)).render('a', {})
  expect(subject).toBe('News from Shop')
  expect(text).toBe('News from Shop\n\nhelp@shop.example\n\nContinue: https://shop.example/start')
  expect(html).toContain('<a href="https:&#x2F;&#x2F;shop.example&#x2F;start">')
})

test('the subject is the heading, and the text part says the same as the HTML', async () => {
  const own = await load(
    {
      'a.html':
        '<h1>News &amp; more\nfrom {{app_name}}</h1>\n<p hidden>Soon</p>\n<p>Hello {{name}},<br>\nlook:</p>\n' +
        '<p><a class="button" href="{{url}}">Open</a></p><p>Link: <a href="{{url}}">{{url}}</a></p>' +
        '<p>Or <a href="https://example.com">ask</a>.</p><p class="code">{{code}}</p><img src="x" alt="">',
      'layout.mustache': '<title>{{subject}}</title><i>{{preview}}</i>{{> body}}',
      'layout.txt': '{{> body}}\n--\n{{app_name}}',
    },
    { app_name: 'R&D' },
  )
  const { html, subject, text } = own.render('a', { name: '<b>', url: 'https://a/?b&c', code: 'AAAA' })
  expect(subject).toBe('News & more from R&D')
  expect(html).toMatch(/^<title>News &amp; more from R&amp;D<\/title><i>Soon<\/i><h1>/)
  expect(html).not.toContain('hidden')
  expect(text).toBe(
    'News & more from R&D\n\nHello <b>,\nlook:\n\nLink: https://a/?b&c\n\nOr ask: https://example.com.\n\n    AAAA\n--\nR&D',
  )
})

test('a mail may have its own text part, and its own layout', async () => {
  const own = await load({
    'a.html': '<!DOCTYPE html><title>a</title><h1>A</h1>',
    'a.txt': 'Own text for {{name}}',
    'layout.mustache': 'layout {{> body}}',
  })
  expect(own.render('a', { name: '<b>' })).toEqual({
    subject: 'A',
    html: '<!DOCTYPE html><title>a</title><h1>A</h1>',
    text: 'Own text for <b>',
  })
})

test('mails in the language of the brand come first, all others are English', async () => {
  const files = {
    'a.html': '<h1>Hello</h1>',
    'b.html': '<h1>Bye</h1>',
    'de/a.html': '<h1>Hallo</h1>',
    'layout.mustache': '{{lang}} {{> body}}',
  }
  const german = await load(files, { language: 'de' })
  expect(german.names.toSorted()).toEqual(['a', 'b'])
  expect(german.render('a', {})).toMatchObject({ subject: 'Hallo', html: 'de <h1>Hallo</h1>', text: 'Hallo' })
  expect(german.render('b', {})).toMatchObject({ subject: 'Bye', html: 'en <h1>Bye</h1>' })
  const english = await load(files)
  expect(english.render('a', {})).toMatchObject({ subject: 'Hello' })
})

test('a text part belongs to the HTML of its language', async () => {
  const files = {
    'a.html': '<h1>Hello</h1>',
    'a.txt': 'Hello in the text',
    'b.html': '<h1>Bye</h1>',
    'de/a.html': '<h1>Hallo</h1>',
    'de/b.txt': 'Ende im Text',
  }
  const german = await load(files, { language: 'de' })
  expect(german.render('a', {}).text).toBe('Hallo')
  expect(german.render('b', {}).text).toBe('Ende im Text')
  const english = await load(files)
  expect(english.render('a', {}).text).toBe('Hello in the text')
  expect(english.render('b', {}).text).toBe('Bye')
})

test('characters that are written as entities are characters in the subject and the text part', async () => {
  const own = await load({ 'a.html': '<h1>It&#x27;s &#39;A&#39; &amp; &apos;&#xFC;&apos;</h1>' })
  expect(own.render('a', {})).toMatchObject({ subject: "It's 'A' & 'ü'", text: "It's 'A' & 'ü'" })
})

test.each([
  ['a mail has no subject', { 'a.html': '<p>b</p>' }, 'emails/a.html has no <h1>'],
  ['a subject is only a picture', { 'a.html': '<h1><img alt="b"></h1>' }, 'emails/a.html has no <h1>'],
  [
    'a text has an unknown entity',
    { 'a.html': '<h1>b</h1><p>&uuml;</p>' },
    'emails/a.html: write the character itself, not &uuml;',
  ],
  ['there is no layout', { 'layout.txt': '{{> other}}' }, 'emails/layout.txt: only {{name}}'],
  [
    'the layout has an unknown variable',
    { 'layout.mustache': '{{code}}' },
    'emails/layout.mustache: there is no variable code',
  ],
  [
    'a tag of the layout is unescaped',
    { 'layout.mustache': '{{{app_name}}}' },
    'emails/layout.mustache: only {{name}}',
  ],
  [
    'a section of the layout has an unescaped tag',
    { 'layout.txt': '{{#contact}}{{&contact}}{{/contact}}' },
    'only {{name}}',
  ],
  ['a tag is unescaped ({{{)', { 'a.html': '{{{b}}}' }, 'emails/a.html: only {{name}}'],
  ['a tag is unescaped ({{&)', { 'a.html': '{{&b}}' }, 'emails/a.html: only {{name}}'],
  ['a tag is a section', { 'a.html': '', 'a.txt': '{{#b}}{{/b}}' }, 'emails/a.txt: only {{name}}'],
  ['a tag is a partial', { 'a.html': '{{> layout}}' }, 'emails/a.html: only {{name}}'],
  ['a tag is not closed', { 'a.html': '{{b' }, 'Unclosed tag'],
  ['a subject has a variable of a user', { 'a.html': '<h1>For {{b}}</h1>' }, 'must not have {{b}}'],
])('the service does not start when %s', async (_case, files, message) => {
  await expect(load(files)).rejects.toThrow(message)
})

test('a mail with an unknown template or a missing variable is refused when it is queued', async () => {
  const own = await load({ 'a.html': '<h1>a</h1>{{b}}', 'a.txt': '{{c}}' })
  expect(() => own.render('d', {})).toThrow('emails/d.html')
  expect(() => own.render('a', { b: '' })).toThrow('The template a needs c')
  expect(() => own.render('a', { b: '', toString: '' })).toThrow('needs c')
  expect(own.render('a', { b: '', c: '' })).toEqual({ subject: 'a', html: '<h1>a</h1>', text: '' })
})
