import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { filesBelow } from '../../src/system/file-system.ts'

describe('the packed tarball', () => {
  let packed: string[]
  beforeAll(() => {
    const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      encoding: 'utf8',
    })
    packed = JSON.parse(output)[0].files.map((file: { path: string }) => file.path)
  }, 30_000)

  it('contains every file of the blueprints, although npm drops or applies some names', () => {
    const blueprints = filesBelow(fs, 'blueprints').map((file) => `blueprints/${file}`)
    expect(packed.filter((path) => path.startsWith('blueprints/')).sort()).toEqual(blueprints.sort())
  })

  it('contains the bundle, and nothing that only development needs', () => {
    const others = packed.filter((path) => !/^(blueprints|dist)\//.test(path))
    expect(others.sort()).toEqual(expect.arrayContaining(['bin/create-authsmith.js', 'package.json']))
    for (const path of others)
      expect(path).toMatch(/^(bin\/create-authsmith\.js|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/)
    expect(packed).not.toContain('dist/examples.js')
  })

  it('installs as one package', () => {
    expect(packageJson).not.toHaveProperty('dependencies')
    expect(packageJson).not.toHaveProperty('optionalDependencies')
    expect(packageJson).not.toHaveProperty('peerDependencies')
  })
})
