import { describe, expect, it } from 'vitest'
import { schemaFiles, schemaPaths } from '../../../src/project/schema-files.ts'
import { readTree } from '../../../src/project/tree.ts'
import { memoryFs } from '../../support/fixtures.ts'

const FILES = {
  '/p/src/db/schema/users.ts': '',
  '/p/src/db/schema/billing/bills.ts': '',
  '/p/src/shop/orders.table.ts': '',
  '/p/src/shop/orders.ts': '',
  '/p/node_modules/a/src/db/schema/a.ts': '',
}

const found = (config: string | undefined) => {
  const { fs } = memoryFs({ ...FILES, ...(config !== undefined && { '/p/drizzle.config.ts': config }) })
  return [...schemaFiles(readTree(fs, '/p')).keys()].filter((path) => path !== 'drizzle.config.ts')
}
const pathsOf = (config: string) =>
  schemaPaths(readTree(memoryFs({ '/p/drizzle.config.ts': config }).fs, '/p'))

describe('the files that define tables', () => {
  it.each<[string, string | undefined, string[]]>([
    ['no configuration', undefined, ['src/db/schema/users.ts']],
    ['the generated pattern', "schema: './src/db/schema/*.ts'", ['src/db/schema/users.ts']],
    ['a folder', 'schema: "src/db/schema/"', ['src/db/schema/users.ts']],
    [
      'folders below',
      "schema: ['./src/db/schema/**/*.ts']",
      ['src/db/schema/billing/bills.ts', 'src/db/schema/users.ts'],
    ],
    [
      'a list with a comment and a file',
      "// schema: './old.ts'\nschema: [\n  './src/shop/{orders,bills}.table.ts', // a './comment'\n  `src/db/schema/user?.ts`,\n],",
      ['src/db/schema/users.ts', 'src/shop/orders.table.ts'],
    ],
    [
      "the schema of the migrations' table is another setting",
      "migrations: { schema: 'public' },\n  schema: './src/shop/*.table.ts'",
      ['src/shop/orders.table.ts'],
    ],
  ])('%s', (_, config, paths) => {
    expect(found(config)).toEqual(paths)
  })

  it.each([
    'schema: files()',
    'schema: [...more, "./a.ts"]',
    `schema: \`./\${name}.ts\``,
    "schema: '../other/*.ts'",
    "schema: '/etc/a.ts'",
    'schema: []',
    'out: "a"',
  ])('are unknown: %s', (config) => {
    expect(pathsOf(config)).toBeUndefined()
  })
})
