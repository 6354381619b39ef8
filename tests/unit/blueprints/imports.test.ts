import { describe, expect, it } from 'vitest'
import { allowedAddOns } from '../../../src/answers/add-ons.ts'
import { type Plan, planOf } from '../../../src/blueprints/layers.ts'
import type { Files } from '../../../src/system/file-system.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'
import { circles, loadedAtStart, missingImports } from '../../support/imports.ts'
import { mechanismFiles } from '../../support/mechanisms.ts'

/** Every variant with npm, and the same with all add-ons. */
const plans = [...exampleAnswers()].map(([name, answers]): [string, Plan, Plan] => [
  name,
  planOf(answers),
  planOf({ ...answers, addOns: allowedAddOns(answers) }),
])

/** What differs between databases has the same names in each mode: the owner's tables and queries use them too. */
const OFFERED = /^src\/db\/(dialect|queries)\.ts$/

/** Exported names that their project mentions nowhere else, neither in code nor in docs/, and `others` neither. */
function unusedExports(files: Files, others: Files = new Map()): string[] {
  const words = [...new Map([...others, ...files])].map(([path, text]) => ({
    path,
    words: text.match(/\w+/g) ?? [],
  }))
  const counts = new Map<string, number>()
  for (const word of words.flatMap((file) => file.words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...files]
    .filter(([path]) => path.endsWith('.ts') && !OFFERED.test(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)]
        .filter(([, name = '']) => counts.get(name) === 1)
        .map(([, name]) => `${path}: ${name}`),
    )
}

describe.each(plans)('%s', (_, plan, withAddOns) => {
  const files = renderOnce(plan)

  it('imports only what it has', () => {
    expect(missingImports(files)).toEqual([])
  })

  // Types alone make none: every folder names the Context, which has parts of all.
  it('has no import cycle', () => {
    const loaded = [...files].flatMap(([path, text]) =>
      path.endsWith('.ts') ? [[path, text.replaceAll(/^import type [^']*'[^']*'/gm, '')] as const] : [],
    )
    expect(circles(new Map(loaded))).toEqual([])
  })

  it('loads the packages of add-ons when they are used', () => {
    const own = loadedAtStart(files)
    expect(own).toContain('fastify')
    // Pages are rendered at the start.
    const known = [...own, 'mustache']
    expect(loadedAtStart(renderOnce(withAddOns)).filter((name) => !known.includes(name))).toEqual([])
  })

  // What add-ons share is in the core, and so is a test helper of several of them.
  it('exports nothing that it does not use or document', () => {
    const tested = new Map([...renderOnce(withAddOns), ...mechanismFiles(withAddOns)])
    const isHelper = (fault: string) => fault.startsWith('test/')
    expect(unusedExports(files, tested).filter((fault) => !isHelper(fault))).toEqual([])
    expect(unusedExports(files, renderOnce(withAddOns)).filter(isHelper)).toEqual([])
  })
})

it.each([
  ['a file', "import * as b from './b.ts'", ['src/b.ts']],
  ['a file for its effects', "import './b.js'", ['src/b.js']],
  ['a name', "import {\n  type One,\n  two as three,\n} from './c.ts'", ['two of src/c.ts']],
  ['a name to export', "export { two } from './c.ts'", ['two of src/c.ts']],
  ['a default export', "import c, { one } from './c.ts'", ['default of src/c.ts']],
  [
    'nothing',
    "import type { One } from './c.ts'\nimport * as all from './c.ts'\nimport { z } from 'zod'",
    [],
  ],
])('an import can lack %s', (_, text, expected) => {
  const files = { 'src/a.ts': text, 'src/c.ts': 'export const one = 1\nexport type One = 1\n' }
  expect(missingImports(new Map(Object.entries(files)))).toEqual(
    expected.map((what) => `src/a.ts imports ${what}`),
  )
})

describe('an unused export', () => {
  it.each([
    ['is found', {}, ['src/a.ts: unused']],
    [
      'is found in a test helper too',
      { 'test/support/b.ts': 'export type B = 1\n' },
      ['src/a.ts: unused', 'test/support/b.ts: B'],
    ],
    ['is not one that another file imports', { 'src/b.ts': "import { unused } from './a.ts'\n" }, []],
    ['is not one that the documentation shows', { 'docs/extending.md': 'Call `unused()`.\n' }, []],
    [
      'is not one of the database',
      { 'src/b.ts': 'unused()', 'src/db/dialect.ts': 'export const id = 1\n' },
      [],
    ],
  ])('%s', (_, others, expected) => {
    const files = { 'src/a.ts': 'export const unused = 1\n', ...others }
    expect(unusedExports(new Map(Object.entries(files)))).toEqual(expected)
  })
})
