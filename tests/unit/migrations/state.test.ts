import { expect, it } from 'vitest'
import { schemaTables } from '../../../src/migrations/schema-tables.ts'
import { STATES, stateOf } from '../../../src/migrations/state.ts'
import { fresh, snapshotOf } from './fixtures.ts'

it('answers name their state', () => {
  expect(stateOf({ mode: 'none' })).toBe('none')
  expect(stateOf({ mode: 'basic', profile: 'A' })).toBe('basic-a')
  expect(stateOf({ mode: 'complete', profile: 'B' })).toBe('complete-b')
})

it('every schema file of the blueprints names its tables', () => {
  for (const state of STATES) {
    const files = [...fresh(state, 'sqlite')].filter(([path]) => path.startsWith('src/db/schema/'))
    const tables = files.flatMap(([, text]) => schemaTables(text))
    expect(tables.sort()).toEqual(Object.keys(snapshotOf(fresh(state, 'sqlite'), 'sqlite').tables).sort())
  }
  expect(schemaTables('export const a = pgTable(\n  "a_b",\n)')).toEqual(['a_b'])
})
