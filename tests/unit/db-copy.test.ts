import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(`blueprints/${path}`, 'utf8')

it('db:copy fetches the drivers that projects have', () => {
  const driver = read('all/src/commands/db-copy/driver.ts')
  const ranges = [...driver.matchAll(/name: '([^']+)',\s+range: '([^']+)'/g)].map(([, name, range]) => [
    name,
    range,
  ])
  const sqlite = JSON.parse(read('sqlite+npm/package.json')).dependencies
  const { pg } = JSON.parse(read('postgres/package.json')).dependencies
  expect(Object.fromEntries(ranges)).toEqual({ ...sqlite, pg })
})
