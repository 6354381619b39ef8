import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createResolve } from '../src/drizzle-imports.ts'

/** Resolves like Node.js with the hook. `asked` has every specifier that was left to Node.js. */
function createResolver() {
  const resolve = createResolve('file:///app/dist/')
  const asked: string[] = []
  return {
    asked,
    resolve: (specifier: string, parentURL: string, conditions = ['node', 'import']) =>
      resolve(specifier, { parentURL, conditions }, (name) => {
        asked.push(name)
        return { url: `found:${conditions.at(-1)}:${name}` }
      }).url,
  }
}

const own = 'file:///app/dist/users/users.js'
const drizzle = 'file:///app/node_modules/drizzle-orm'

test('Node.js is asked once for an import of Drizzle, and not for those inside of it', () => {
  const { asked, resolve } = createResolver()
  expect(resolve('drizzle-orm', own)).toBe('found:import:drizzle-orm')
  expect(resolve('drizzle-orm', 'file:///app/dist/access/access.js')).toBe('found:import:drizzle-orm')
  expect(resolve('../sql/sql.js', `${drizzle}/sqlite-core/table.js`)).toBe(`${drizzle}/sql/sql.js`)
  expect(asked).toEqual(['drizzle-orm'])
})

test('require() gets the CommonJS files of Drizzle', () => {
  const { resolve } = createResolver()
  const required = ['node', 'require']
  expect(resolve('drizzle-orm', own)).toBe('found:import:drizzle-orm')
  expect(resolve('drizzle-orm', own, required)).toBe('found:require:drizzle-orm')
  expect(resolve('./entity.cjs', `${drizzle}/index.cjs`, required)).toBe('found:require:./entity.cjs')
})

test('all other imports are left to Node.js', () => {
  const { asked, resolve } = createResolver()
  const others = [
    ['./users.js', own],
    ['zod', own],
    ['drizzle-orm', 'file:///app/node_modules/other/index.js'],
    ['drizzle-orm', 'file:///app/packages/linked/index.js'],
    ['better-sqlite3', `${drizzle}/better-sqlite3/driver.js`],
  ] as const
  for (const [specifier, parent] of [...others, ...others]) resolve(specifier, parent)
  expect(asked).toEqual([...others, ...others].map(([specifier]) => specifier))
})

// What the hook relies on. If a new version of Drizzle fails here, delete src/drizzle-imports.ts.
test('the .js files of Drizzle are ES modules', () => {
  const main = createRequire(import.meta.url).resolve('drizzle-orm')
  expect(JSON.parse(readFileSync(join(main, '../package.json'), 'utf8'))).toMatchObject({ type: 'module' })
})
