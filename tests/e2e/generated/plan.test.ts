import { describe, expect, test } from 'vitest'
import { PROFILES } from '../../../src/answers/variant.ts'
import { exampleAnswers } from '../../support/examples.ts'
import { EVERY_RUN } from '../variants/every-run.ts'
import { planSuites } from './plan.ts'

describe('the generated tests of a run', () => {
  const files = (texts: Record<string, string>) => new Map(Object.entries(texts))
  const variants = new Map([
    ['a', files({ 'src/a.ts': '1', 'test/one.test.ts': 'one', 'test/two.test.ts': 'two' })],
    ['b', files({ 'src/a.ts': '2', 'test/one.test.ts': 'one', 'test/two.test.ts': 'other' })],
    ['c', files({ 'src/a.ts': '3', 'test/one.test.ts': 'one', 'test/support/app.ts': '' })],
  ])
  const [one, two] = ['test/one.test.ts', 'test/two.test.ts']

  test('are all of those of whole variants, and elsewhere those whose text did not run', () => {
    expect(planSuites(variants, ['c'])).toEqual([
      { variant: 'c', run: [one], skipped: [] },
      { variant: 'a', run: [two], skipped: [{ file: one, ranIn: 'c' }] },
      { variant: 'b', run: [two], skipped: [{ file: one, ranIn: 'c' }] },
    ])
  })

  test('run again where the database may change their outcome', () => {
    const [, , b] = planSuites(variants, ['c'], { variant: 'b', tests: /one/ })
    expect(b).toEqual({ variant: 'b', run: [one, two], skipped: [] })
  })

  test('are all tests if every variant is whole', () => {
    const whole = planSuites(variants, ['a', 'b', 'c'])
    expect(whole.flatMap(({ skipped }) => skipped)).toEqual([])
    expect(whole.map(({ run }) => run.length)).toEqual([2, 2, 1])
  })
})

describe('the variants of every run', () => {
  const chosen = EVERY_RUN.map((name) => exampleAnswers().get(name))
  const pairs = (mode: string) => chosen.filter((answers) => answers?.mode === mode)

  test.each(['basic', 'complete'])('have mode %s with each profile and each database', (mode) => {
    expect(pairs(mode).map((answers) => answers?.profile)).toEqual(expect.arrayContaining([...PROFILES]))
    expect(new Set(pairs(mode).map((answers) => answers?.database)).size).toBe(2)
  })

  test.each(PROFILES)('have profile %s with each database', (profile) => {
    const databases = chosen.filter((answers) => answers?.profile === profile).map((each) => each?.database)
    expect(new Set(databases).size).toBe(2)
  })
})
