import { describe, expect, it } from 'vitest'
import { type Answers, DATABASES } from '../../src/answers.ts'
import { PACKAGE_MANAGERS } from '../../src/package-managers.ts'
import { layersOf, planOf } from '../../src/plan.ts'

const FOLDERS = [
  ...[
    'all',
    'auth',
    'auth-a',
    'auth-b',
    'complete',
    'complete-a',
    'complete-b',
    'none',
    'sqlite',
    'postgres',
  ],
  ...['pnpm', 'basic-b+sqlite', 'none+sqlite', 'complete-a+postgres', 'auth+yarn'],
]

const layers = (answers: Omit<Answers, 'name'>) =>
  layersOf(planOf({ name: 'x', ...answers }), [...FOLDERS].reverse())

describe('plan', () => {
  it.each([
    ['none', undefined, 'sqlite', 'npm', ['all', 'none', 'sqlite', 'none+sqlite']],
    ['none', undefined, 'postgres', 'npm', ['all', 'none', 'postgres']],
    ['basic', 'A', 'sqlite', 'npm', ['all', 'auth', 'auth-a', 'sqlite']],
    ['basic', 'A', 'postgres', 'yarn', ['all', 'auth', 'auth-a', 'postgres', 'auth+yarn']],
    ['basic', 'B', 'sqlite', 'pnpm', ['all', 'auth', 'auth-b', 'sqlite', 'pnpm', 'basic-b+sqlite']],
    ['basic', 'B', 'postgres', 'npm', ['all', 'auth', 'auth-b', 'postgres']],
    ['complete', 'A', 'sqlite', 'npm', ['all', 'auth', 'auth-a', 'complete', 'complete-a', 'sqlite']],
    [
      ...(['complete', 'A', 'postgres', 'npm'] as const),
      ['all', 'auth', 'auth-a', 'complete', 'complete-a', 'postgres', 'complete-a+postgres'],
    ],
    ['complete', 'B', 'sqlite', 'bun', ['all', 'auth', 'auth-b', 'complete', 'complete-b', 'sqlite']],
    ['complete', 'B', 'postgres', 'npm', ['all', 'auth', 'auth-b', 'complete', 'complete-b', 'postgres']],
  ] as const)('%s %s on %s with %s', (mode, profile, database, packageManager, expected) => {
    const answers = { mode, database, packageManager, ...(profile && { profile }) }
    expect(layers(answers)).toEqual(expected)
  })

  it('gives every template value for every package manager', () => {
    for (const packageManager of PACKAGE_MANAGERS) {
      for (const database of DATABASES) {
        const { values } = planOf({ name: 'x', mode: 'none', database, packageManager })
        for (const value of Object.values(values)) expect(value).toBeTypeOf('string')
        expect(values).toMatchObject({ name: 'x', packageManager, install: `${packageManager} install` })
      }
    }
  })

  it('refuses a folder that no plan would ever use', () => {
    const plan = planOf({ name: 'x', mode: 'none', database: 'sqlite', packageManager: 'npm' })
    expect(() => layersOf(plan, ['all', 'sqllite'])).toThrow('"sqllite" is not a word')
    expect(() => layersOf(plan, ['all+'])).toThrow('is not a word')
  })
})
