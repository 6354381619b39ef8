import { expect, it } from 'vitest'
import { packagesFor } from '../support/needed-packages.ts'

const packages = {
  'node_modules/orm': {
    dependencies: { tool: '1' },
    peerDependencies: { base: '1', driver: '1' },
    peerDependenciesMeta: { driver: { optional: true } },
  },
  'node_modules/orm/node_modules/tool': {
    dependencies: { part: '1' },
    optionalDependencies: { windows: '1' },
  },
  'node_modules/tool': {},
  'node_modules/part': { dependencies: { orm: '1' } },
  'node_modules/base': {},
  'node_modules/driver': {},
  'node_modules/@types/node': {},
}

it('finds what a package.json asks for, with what these need, in circles too and from the inside out', () => {
  const manifest = { dependencies: { orm: '1' }, devDependencies: { '@types/node': '1' } }
  expect(packagesFor(manifest, packages)).toEqual([
    'node_modules/@types/node',
    'node_modules/base',
    'node_modules/orm',
    'node_modules/orm/node_modules/tool',
    'node_modules/part',
  ])
})

it('refuses a package that is not installed', () => {
  expect(() => packagesFor({ dependencies: { other: '1' } }, packages)).toThrow(
    'other is not installed, which package.json needs',
  )
})
