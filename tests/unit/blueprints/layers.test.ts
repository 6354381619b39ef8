import { describe, expect, it } from 'vitest'
import type { Answers } from '../../../src/answers/answers.ts'
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

/** The layers of the core that a project has, without their room. */
const coreOf = (folders: readonly string[], answers: Answers) =>
  layersOf(
    planOf(answers),
    folders.map((folder) => `core/${folder}`),
  ).map((layer) => layer.replace(/^core\//, ''))

const layers = (variant: Variant, packageManager: PackageManager) =>
  coreOf([...FOLDERS].reverse(), { name: 'x', ...variant, addOns: [], packageManager })

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

  it('has every template value for every package manager', () => {
    for (const packageManager of PACKAGE_MANAGERS) {
      for (const database of DATABASES) {
        const { values } = planOf({ name: 'x', mode: 'none', database, addOns: [], packageManager })
        for (const value of Object.values(values)) expect(value).toBeTypeOf('string')
        expect(values).toMatchObject({ name: 'x', packageManager, install: `${packageManager} install` })
      }
    }
  })

  it('has the folders of its add-ons after the core, by words, and those for pairs', () => {
    const addOns = [
      ...[
        'add-ons/metrics/all',
        'add-ons/metrics/complete',
        'add-ons/metrics/with-pages',
        'add-ons/metrics/basic',
      ],
      ...['add-ons/gateway/all', 'add-ons/gateway/complete+with-jwks', 'add-ons/_shared/oauth/all'],
      ...['add-ons/pages/all', 'add-ons/pages/postgres'],
    ]
    const all = [...addOns, 'core/complete', 'core/all'].reverse()
    const planWith = (...names: string[]) =>
      planOf({
        ...({ name: 'x', mode: 'complete', profile: 'B', database: 'sqlite' } as const),
        ...{ addOns: names, packageManager: 'npm' },
      })
    expect(layersOf(planWith('metrics'), all)).toEqual([
      ...['core/all', 'core/complete', 'add-ons/metrics/all', 'add-ons/metrics/complete'],
    ])
    expect(layersOf(planWith('gateway', 'metrics', 'pages'), all)).toEqual([
      ...[
        'core/all',
        'core/complete',
        'add-ons/_shared/oauth/all',
        'add-ons/gateway/all',
        'add-ons/metrics/all',
      ],
      ...['add-ons/pages/all', 'add-ons/metrics/complete', 'add-ons/metrics/with-pages'],
    ])
    expect(layersOf(planWith('gateway', 'jwks'), all)).toContain('add-ons/gateway/complete+with-jwks')
  })

  it.each([
    'core/sqllite',
    'core/all+',
    'core/pages',
    'core/complete+pages',
    'core/with-pages',
    'add-ons/pages/with-metrics',
    'add-ons/pages/with-pages',
    'add-ons/pages/with-postgres',
    'add-ons/metrics/pages',
    'add-ons/metrics/with-nothing',
  ])('refuses a folder that no plan would ever use: %s', (layer) => {
    const plan = planOf({ name: 'x', mode: 'none', database: 'sqlite', addOns: [], packageManager: 'npm' })
    expect(() => layersOf(plan, ['core/all', layer])).toThrow('is not a word of the plan')
  })
})
