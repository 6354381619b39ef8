import { describe, expect, it } from 'vitest'
import { joinPackageJson } from '../../../src/blueprints/package-json.ts'

const join = (...fragments: object[]) =>
  joinPackageJson(
    'my-api',
    fragments.map((part) => JSON.stringify(part)),
  )

describe('package.json', () => {
  it('joins by key, with sorted dependencies and scripts in the order of the layers', () => {
    const text = join(
      {
        name: 'app',
        type: 'module',
        scripts: { dev: 'a', build: 'b' },
        dependencies: { zod: '1', fastify: '2' },
      },
      {
        scripts: { user: 'c' },
        dependencies: { jose: '3' },
        devDependencies: { b: '1', a: '1' },
        allowScripts: { x: true },
      },
    )
    expect(text).toBe(
      `${JSON.stringify(
        {
          name: 'my-api',
          type: 'module',
          scripts: { dev: 'a', build: 'b', user: 'c' },
          dependencies: { fastify: '2', jose: '3', zod: '1' },
          devDependencies: { a: '1', b: '1' },
          allowScripts: { x: true },
        },
        null,
        2,
      )}\n`,
    )
  })

  it('puts the name first if no fragment has one', () => {
    expect(Object.keys(JSON.parse(join({ version: '1' })))).toEqual(['name', 'version'])
  })

  it('accepts the same value twice, refuses two values for one key', () => {
    expect(JSON.parse(join({ engines: { node: '>=20' } }, { engines: { node: '>=20' } })).engines).toEqual({
      node: '>=20',
    })
    expect(() => join({ dependencies: { zod: '3' } }, { dependencies: { zod: '4' } })).toThrow(
      'dependencies.zod',
    )
    expect(() => join({ files: ['a'] }, { files: ['b'] })).toThrow('files')
    expect(() => join({ type: 'module' }, { type: {} })).toThrow('type')
  })
})
