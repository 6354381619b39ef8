import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError } from '../../src/config.ts'
import { loadEmailTemplates } from '../../src/email/templates.ts'
import { brandVariables } from '../../src/settings/theme.ts'
import { testConfig } from '../support/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const brand = { ...brandVariables(testConfig({})), language: 'en' }

/** Loads templates from the given files. */
async function load(files: Record<string, string>, own = {}) {
  const folder = await temporaryFolder()
  const layouts = { 'layout.mustache': '{{> body}}', 'layout.txt': '{{> body}}' }
  for (const [name, content] of Object.entries({ ...layouts, ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return loadEmailTemplates({ ...brand, ...own }, folder)
}

test('the sender name is the name of the service', () => {
  const named = testConfig({ EMAIL_FROM_NAME: '<b>Shop</b>', EMAILS_FROM_NAME: '<b>Shop</b>' })
  expect(brandVariables(named).app_name).toBe('<b>Shop</b>')
})

test('every email can name the product, the contact and where to continue', async () => {
  const own = { app_name: 'Shop', contact: 'help@shop.example', site_url: 'https://shop.example/start' }
  const template =
    '<!--\nNews from {{app_name}}\n\n{{contact}}\n{{site_url}}\n-->\n<a href="{{site_url}}">Continue</a>'
  const { subject, html, text } = (await load({ 'a.html': template }, own)).render('a', {})
  expect(subject).toBe('News from Shop')
  expect(text).toBe('News from Shop\n\nhelp@shop.example\nhttps://shop.example/start')
  expect(html).toBe('<a href="https:&#x2F;&#x2F;shop.example&#x2F;start">Continue</a>')
})

test('an email is a comment, whose first line is the subject, and HTML', async () => {
  const own = await load(
    {
      'a.html':
        '<!--\nNews & more from {{app_name}}\n\nHello {{name}}:\n\n    {{code}}\n-->\n' +
        '<h1>News</h1>\n<p hidden>Soon &amp; for {{name}}</p>\n<p>Hello {{name}}</p>\n<!-- {{url}} -->\n',
      'layout.mustache': '<title>{{subject}}</title><i>{{> preview}}</i>{{> body}}',
      'layout.txt': '{{> body}}\n--\n{{app_name}}',
    },
    { app_name: 'R&D' },
  )
  expect(own.render('a', { name: '<b>', url: '-->', code: 'AAAA' })).toEqual({
    subject: 'News & more from R&D',
    html:
      '<title>News &amp; more from R&amp;D</title><i>Soon &amp; for &lt;b&gt;</i>' +
      '<h1>News</h1>\n<p>Hello &lt;b&gt;</p>\n<!-- --&gt; -->\n',
    text: 'News & more from R&D\n\nHello <b>:\n\n    AAAA\n--\nR&D',
  })
})

test('an email may have its own layout', async () => {
  const own = await load({
    'a.html': '<!--\nA\n-->\n<!DOCTYPE html><title>a</title>',
    'layout.mustache': 'layout {{> body}}',
  })
  expect(own.render('a', {})).toEqual({
    subject: 'A',
    html: '<!DOCTYPE html><title>a</title>',
    text: 'A',
  })
})

test('emails in the language of the brand come first, all others are English', async () => {
  const files = {
    'a.html': '<!--\nHello\n-->\n<h1>Hello</h1>',
    'b.html': '<!--\nBye\n-->\n<h1>Bye</h1>',
    'de/a.html': '<!--\nHallo\n-->\n<h1>Hallo</h1>',
    'layout.mustache': '{{lang}} {{> body}}',
  }
  const german = await load(files, { language: 'de' })
  expect(german.names.toSorted()).toEqual(['a', 'b'])
  expect(german.render('a', {})).toEqual({ subject: 'Hallo', html: 'de <h1>Hallo</h1>', text: 'Hallo' })
  expect(german.render('b', {})).toEqual({ subject: 'Bye', html: 'en <h1>Bye</h1>', text: 'Bye' })
  const english = await load(files)
  expect(english.render('a', {})).toMatchObject({ subject: 'Hello' })
})

test.each([
  ['an email has no text part', { 'a.html': '<h1>b</h1>' }, 'emails/a.html must begin with a comment'],
  ['an email has no subject', { 'a.html': '<!-- \n-->\nb' }, 'emails/a.html must begin with a comment'],
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
  ['a tag is unescaped ({{{)', { 'a.html': '<!--\na\n-->\n{{{b}}}' }, 'emails/a.html: only {{name}}'],
  ['a tag is unescaped ({{&)', { 'a.html': '<!--\na\n-->\n{{&b}}' }, 'emails/a.html: only {{name}}'],
  ['a tag is a section', { 'a.html': '<!--\na {{#b}}{{/b}}\n-->\n' }, 'emails/a.html: only {{name}}'],
  ['a tag is a partial', { 'a.html': '<!--\na\n-->\n{{> layout}}' }, 'emails/a.html: only {{name}}'],
  ['a tag is not closed', { 'a.html': '<!--\na\n-->\n{{b' }, 'Unclosed tag'],
  ['a subject has a variable of a user', { 'a.html': '<!--\nFor {{b}}\n-->\n' }, 'must not have {{b}}'],
])('the service does not start when %s', async (_case, files, message) => {
  await expect(load(files)).rejects.toThrow(message)
})

test('an email with an unknown template or a missing variable is refused when it is queued', async () => {
  const own = await load({ 'a.html': '<!--\na\n{{c}}\n-->\n{{b}}' })
  expect(() => own.render('d', {})).toThrow('emails/d.html')
  expect(() => own.render('a', { b: '' })).toThrow('The template a needs c')
  expect(() => own.render('a', { b: '', toString: '' })).toThrow('needs c')
  expect(own.render('a', { b: '', c: '' })).toEqual({ subject: 'a', html: '', text: 'a' })
})

test('a missing folder is one line of the start', async () => {
  const missing = join(await temporaryFolder(), 'emails')
  const error = await loadEmailTemplates(brand, missing).catch((reason: unknown) => reason)
  expect(error).toEqual(new ConfigError('emails/ is missing: deploy it beside dist/'))
})
