import { describe, expect, it } from 'vitest'
import { PACKAGE_MANAGERS, type PackageManager } from '../../../src/answers/package-managers.ts'
import { DATABASES, type Variant, variantOf } from '../../../src/answers/variant.ts'
import { layersOf, planOf } from '../../../src/blueprints/layers.ts'

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

const FORMER_FOLDERS = [
  ...['formerly', 'formerly-a', 'formerly-b'],
  ...['complete+formerly', 'complete+formerly-a', 'complete+formerly-b'],
]

const layers = (variant: Variant, packageManager: PackageManager) =>
  layersOf(planOf({ name: 'x', ...variant, addOns: [], packageManager }), [...FOLDERS].reverse())

describe('a plan', () => {
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
  ] as const)(
    'has the layers of mode %s, profile %s, on %s with %s',
    (mode, profile, database, packageManager, expected) => {
      const variant = variantOf({ mode, profile, database }) as Variant
      expect(layers(variant, packageManager)).toEqual(expected)
    },
  )

  it.each([
    ['none', undefined, 'A', []],
    ['basic', 'A', 'B', ['formerly', 'formerly-b']],
    ['basic', 'B', 'A', ['formerly', 'formerly-a']],
    ['complete', 'A', 'B', ['formerly', 'formerly-b', 'complete+formerly', 'complete+formerly-b']],
    ['complete', 'B', 'A', ['formerly', 'formerly-a', 'complete+formerly', 'complete+formerly-a']],
  ] as const)(
    'has the layers for former profiles: mode %s, profile %s, formerly %s',
    (mode, profile, former, expected) => {
      const variant = variantOf({ mode, profile, database: 'sqlite' }) as Variant
      const folders = [...new Set([...FOLDERS, ...FORMER_FOLDERS])]
      const answers = { name: 'x', ...variant, addOns: [], packageManager: 'npm' } as const
      const plain = layersOf(planOf(answers), folders)
      expect(plain.filter((layer) => layer.includes('formerly'))).toEqual([])
      const added = layersOf(planOf(answers, former), folders).filter((layer) => !plain.includes(layer))
      expect(added).toEqual(expected)
    },
  )

  it.each([
    ['none', undefined, 'A', []],
    ['basic', 'A', undefined, ['ever-a']],
    ['complete', 'B', undefined, ['ever-b', 'complete+ever-b']],
    ['complete', 'B', 'A', ['ever-a', 'ever-b', 'complete+ever-a', 'complete+ever-b']],
    ['complete', 'A', 'B', ['ever-a', 'ever-b', 'complete+ever-a', 'complete+ever-b']],
  ] as const)(
    'has the layers for profiles that it has or had: mode %s, profile %s, formerly %s',
    (mode, profile, former, expected) => {
      const variant = variantOf({ mode, profile, database: 'sqlite' }) as Variant
      const folders = ['complete+ever-a', 'complete+ever-b', 'ever-a', 'ever-b']
      const plan = planOf({ name: 'x', ...variant, addOns: [], packageManager: 'npm' }, former)
      expect(layersOf(plan, folders)).toEqual(expected)
    },
  )

  it('has every template value for every package manager', () => {
    for (const packageManager of PACKAGE_MANAGERS) {
      for (const database of DATABASES) {
        const { values } = planOf({ name: 'x', mode: 'none', database, addOns: [], packageManager })
        for (const value of Object.values(values)) expect(value).toBeTypeOf('string')
        expect(values).toMatchObject({ name: 'x', packageManager, install: `${packageManager} install` })
      }
    }
  })

  it('refuses a folder that no plan would ever use', () => {
    const plan = planOf({ name: 'x', mode: 'none', database: 'sqlite', addOns: [], packageManager: 'npm' })
    expect(() => layersOf(plan, ['all', 'sqllite'])).toThrow('"sqllite" is not a word')
    expect(() => layersOf(plan, ['all+'])).toThrow('is not a word')
  })
})
