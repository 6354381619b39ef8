import { describe, expect, it } from 'vitest'
import { type Plan, planOf } from '../../../src/blueprints/layers.ts'
import type { Files } from '../../../src/system/file-system.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'
import { circles } from '../../support/imports.ts'
import { otherProfile } from '../../support/laws.ts'

/** Every variant with npm, with and without a former profile. */
const plans = [...exampleAnswers()].flatMap(([name, answers]): [string, Plan][] => {
  const former = otherProfile(answers.profile)
  return [
    [name, planOf(answers)],
    ...(former ? [[`${name}, formerly ${former}`, planOf(answers, former)] as [string, Plan]] : []),
  ]
})

/** What differs between databases has the same names in each mode: the owner's tables and queries use them too. */
const OFFERED = /^src\/db\/(dialect|queries)\.ts$/

/** Exported names that their project mentions nowhere else, neither in code nor in docs/. */
function unusedExports(files: Files): string[] {
  const words = [...files].map(([path, text]) => ({ path, words: text.match(/\w+/g) ?? [] }))
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

describe.each(plans)('%s', (_, plan) => {
  const files = renderOnce(plan)

  it('has no import cycle', () => {
    expect(circles(new Map([...files].filter(([path]) => path.endsWith('.ts'))))).toEqual([])
  })

  it('exports nothing that it does not use or document', () => {
    expect(unusedExports(files)).toEqual([])
  })
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
