import { expect, test } from 'vitest'
import { isAllowed } from '../../../src/answers/add-ons.ts'
import { allVariants, nameOf } from '../../../src/answers/variant.ts'
import { planOf } from '../../../src/blueprints/layers.ts'
import { renderOnce } from '../../support/blueprints.ts'

const variants = allVariants()
  .filter((variant) => isAllowed('pages', variant))
  .map((variant) => {
    const plan = planOf({ name: 'my-api', ...variant, addOns: ['pages'], packageManager: 'npm' })
    return [nameOf(variant), renderOnce(plan)] as const
  })

/** The files in a folder of a project, by name. */
const filesIn = (files: ReadonlyMap<string, string>, folder: string, pattern: RegExp) =>
  [...files]
    .filter(([path]) => path.startsWith(`${folder}/`) && pattern.test(path))
    .map(([path, text]) => [path.slice(folder.length + 1), text] as const)

/** What a reader would have to translate: words without what surrounds them in the format. */
const texts = (file: string, source: string): string[] =>
  file.endsWith('.js')
    ? [...source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').matchAll(/(['"`])([^'"`\n]*)\1/g)]
        .map(([, , text = '']) => text)
        .filter((text) => /^[A-Z][a-z]+ [a-z]/.test(text))
    : (source.replaceAll(/\{\{[^}]*\}\}|<[^>]*>/g, '').match(/\w+/g) ?? [])

// A translation of a page is one file: nothing of it is elsewhere.
test.each(variants)('%s: all texts of a page are in its .html file', (_, files) => {
  const others = filesIn(files, 'pages', /\.(js|mustache)$/)
  expect(others.length).toBeGreaterThan(8)
  expect(others.flatMap(([file, text]) => texts(file, text).map((each) => `${file}: ${each}`))).toEqual([])
})

test.each(variants.filter(([name]) => name.startsWith('complete')))(
  '%s: all texts of a mail are in its .html file',
  (_, files) => {
    const layouts = filesIn(files, 'emails', /(?<!\.html)$/)
    const found = layouts.flatMap(([file, text]) => texts(file, text.replace(/<style>[\s\S]*?<\/style>/, '')))
    expect(layouts.length).toBeGreaterThan(1)
    expect(found).toEqual([])
  },
)

test.each(variants)('%s: every class and id in a style sheet of the pages is used', (_, files) => {
  const read = (pattern: RegExp) =>
    filesIn(files, 'pages', pattern)
      .map(([, text]) => text)
      .join('\n')
  const selectors = read(/\.css$/).replaceAll(/\{[^{}]*\}|\/\*[\s\S]*?\*\//g, '')
  const names = [...selectors.matchAll(/[.#]([a-z][\w-]*)/g)].map(([, found = '']) => found)
  const users = read(/\.(html|js|mustache)$/)
  const isUsed = (found: string) => new RegExp(`["' ]${found}["' ]`).test(users)
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((found) => !isUsed(found))).toEqual([])
})
