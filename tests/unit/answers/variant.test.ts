import { expect, it } from 'vitest'
import {
  accountsIn,
  allVariants,
  describeVariant,
  hasUsers,
  nameOf,
  STATES,
  stateOf,
  variantOf,
} from '../../../src/answers/variant.ts'
import { tablesIn } from '../../../src/project/schema-files.ts'
import { fresh, snapshotOf } from '../migrations/fixtures.ts'

it('the mode and the profile are the state', () => {
  expect(stateOf({ mode: 'none' })).toBe('none')
  expect(stateOf({ mode: 'basic', profile: 'A' })).toBe('basic-a')
  expect(stateOf({ mode: 'complete', profile: 'B' })).toBe('complete-b')
})

it('a mode with accounts requires a profile, and mode none does not have one', () => {
  expect(variantOf({ mode: 'none', database: 'sqlite' })).toEqual({ mode: 'none', database: 'sqlite' })
  expect(variantOf({ mode: 'none', profile: 'A', database: 'sqlite' })).toBeUndefined()
  expect(variantOf({ mode: 'basic', database: 'sqlite' })).toBeUndefined()
  expect(variantOf({ mode: 'basic', profile: 'B', database: 'postgres' })).toEqual({
    ...{ mode: 'basic', profile: 'B', database: 'postgres' },
  })
})

it('every variant has a unique name, and a state that identifies it', () => {
  const variants = allVariants()
  expect(new Set(variants.map(nameOf)).size).toBe(10)
  for (const { database, ...accounts } of variants) {
    expect(accountsIn(stateOf(accounts))).toEqual(accounts)
    expect(nameOf({ ...accounts, database })).toBe(`${stateOf(accounts)}-${database}`)
  }
  expect(STATES).toEqual(['none', 'basic-a', 'basic-b', 'complete-a', 'complete-b'])
  expect(STATES.filter((state) => !hasUsers(state))).toEqual(['none'])
})

it('a variant without a profile is described without one', () => {
  expect(allVariants().map((variant) => describeVariant({ ...variant, addOns: [] }))).toEqual(
    expect.arrayContaining(['none, sqlite', 'basic, A, sqlite', 'complete, B, postgres']),
  )
})

it('the add-ons of a project are part of its description', () => {
  const addOns = ['metrics', 'pages'] as const
  expect(describeVariant({ mode: 'complete', profile: 'B', database: 'sqlite', addOns })).toBe(
    'complete, B, sqlite + metrics, pages',
  )
})

it('every schema file of the blueprints names its tables', () => {
  for (const state of STATES) {
    const files = [...fresh(state, 'sqlite')].filter(([path]) => path.startsWith('src/db/schema/'))
    const tables = files.flatMap(([, text]) => tablesIn(text))
    expect(tables.sort()).toEqual(Object.keys(snapshotOf(fresh(state, 'sqlite'), 'sqlite').tables).sort())
  }
  expect(tablesIn('export const a = pgTable(\n  "a_b",\n)')).toEqual(['a_b'])
})
