import { describe, expect, it } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'
import { mechanismFiles } from '../../support/mechanisms.ts'
import { mutants } from './list.js'
import { mutantsOf, mutate, testsOf } from './mutant.js'

const answers = exampleAnswers()
const core = answers.get('complete-b-sqlite')
// With `cookies`, which the examples with all add-ons have, these pages hold no token.
if (core) answers.set('complete-b-sqlite-pages', { ...core, addOns: ['pages'] })

/** The files of each variant, with the tests of mechanisms. */
const projects = new Map(
  [...answers].map(([variant, each]) => {
    const plan = planOf(each)
    return [variant, new Map([...renderOnce(plan), ...mechanismFiles(plan)])]
  }),
)
const variants = [...projects.keys()]
const existsIn = (variant: string) => (path: string) => projects.get(variant)?.has(path) ?? false

describe('the mutants', () => {
  it('have different names', () => {
    const names = mutants.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(names.length).toBeGreaterThan(60)
  })

  it.each(variants)('of %s each remove one text, and have a test that may notice it', (variant) => {
    const exists = existsIn(variant)
    const faults = mutantsOf(mutants, variant, exists).flatMap((mutant) => {
      try {
        mutate(mutant, projects.get(variant)?.get(mutant.file) ?? '')
        testsOf(mutant, exists)
        return []
      } catch (error) {
        return [String(error)]
      }
    })
    expect(faults).toEqual([])
  })

  it('each apply to a variant', () => {
    const used = new Set(variants.flatMap((variant) => mutantsOf(mutants, variant, existsIn(variant))))
    expect(mutants.filter((mutant) => !used.has(mutant)).map(({ name }) => name)).toEqual([])
  })
})

it.each([
  ['is missing', 'a b'],
  ['occurs twice', 'a x x b'],
])('a mutant is refused if its text %s', (_case, text) => {
  const mutant = { name: 'an attack', file: 'src/app.ts', from: 'x', to: '', tests: [] }
  expect(() => mutate(mutant, text)).toThrow('"an attack": src/app.ts contains')
})
