import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const examples = readdirSync('examples').filter((name) => !name.startsWith('none'))

/** What a reader would have to translate: words without what surrounds them in the format. */
const texts = (file: string, source: string): string[] =>
  file.endsWith('.js')
    ? [...source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').matchAll(/(['"`])([^'"`\n]*)\1/g)]
        .map(([, , text = '']) => text)
        .filter((text) => /^[A-Z][a-z]+ [a-z]/.test(text))
    : (source.replaceAll(/\{\{[^}]*\}\}|<[^>]*>/g, '').match(/\w+/g) ?? [])

// A translation of a page is one file: nothing of it is elsewhere.
test.each(examples)('%s: all texts of a page are in its .html file', (name) => {
  const folder = join('examples', name, 'pages')
  const others = readdirSync(folder).filter((file) => /\.(js|mustache)$/.test(file))
  const found = others.flatMap((file) =>
    texts(file, readFileSync(join(folder, file), 'utf8')).map((text) => `${file}: ${text}`),
  )
  expect(found).toEqual([])
})

test.each(examples.filter((name) => name.startsWith('complete')))(
  '%s: all texts of a mail are in its .html file',
  (name) => {
    const folder = join('examples', name, 'emails')
    const layouts = readdirSync(folder).filter((file) => !file.endsWith('.html'))
    const found = layouts.flatMap((file) =>
      texts(file, readFileSync(join(folder, file), 'utf8').replace(/<style>[\s\S]*?<\/style>/, '')),
    )
    expect(found).toEqual([])
  },
)

test.each(examples)('%s: every class and id in a style sheet of the pages is used', (name) => {
  const folder = join('examples', name, 'pages')
  const read = (pattern: RegExp) =>
    readdirSync(folder)
      .filter((file) => pattern.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n')
  const selectors = read(/\.css$/).replaceAll(/\{[^{}]*\}|\/\*[\s\S]*?\*\//g, '')
  const names = [...selectors.matchAll(/[.#]([a-z][\w-]*)/g)].map(([, found = '']) => found)
  const users = read(/\.(html|js|mustache)$/)
  const isUsed = (found: string) => new RegExp(`["' ]${found}["' ]`).test(users)
  expect(names.filter((found) => !isUsed(found))).toEqual([])
})
