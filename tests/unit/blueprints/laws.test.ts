import { describe, expect, it } from 'vitest'
import { REAL_BLUEPRINTS, readOnceFs } from '../../support/blueprints.ts'
import { BLUEPRINTS, memoryFs } from '../../support/fixtures.ts'
import {
  allPlans,
  existenceFaults,
  exportsOf,
  parameterFaults,
  sourceFaults,
  templateFaults,
  twinFaults,
} from '../../support/laws.ts'

const laws = { existenceFaults, parameterFaults, sourceFaults, templateFaults, twinFaults }

/** The faults that a law finds in the small blueprints with `files` added. */
const faultsWith = (law: keyof typeof laws, files: Record<string, string>) =>
  laws[law](memoryFs({}, { ...BLUEPRINTS, ...files }).fs, '/blueprints')

describe('the laws of the blueprints', () => {
  it.each(Object.keys(laws) as (keyof typeof laws)[])('%s finds nothing', (law) => {
    expect(laws[law](readOnceFs, REAL_BLUEPRINTS)).toEqual([])
  })

  it('are checked for every variant of the specification, with and without add-ons', () => {
    expect(allPlans()).toHaveLength(40 + 10)
  })
})

describe('each law can fail', () => {
  it.each(Object.keys(laws) as (keyof typeof laws)[])(
    '%s finds nothing in blueprints without a fault',
    (law) => {
      expect(faultsWith(law, {})).toEqual([])
    },
  )

  it.each([
    [
      'existenceFaults',
      'a file that is one block',
      'core/all/src/a.ts.ejs',
      '<% if (auth) { %>\na\n<% } %>\n',
      'another layer',
    ],
    [
      ...(['existenceFaults', 'a file that is two blocks', 'core/all/src/a.ts.ejs'] as const),
      ...(['<% if (auth) { %>\na\n<% } %>\n\n<% if (none) { %>\nb\n<% } %>\n', 'another layer'] as const),
    ],
    [
      'sourceFaults',
      'a path in two layers',
      'core/auth/src/db.ts',
      'export {}',
      'src/db.ts comes from two layers',
    ],
    [
      'sourceFaults',
      'a path in a layer of two words',
      'core/basic-a+sqlite/src/db.ts',
      '',
      'src/db.ts comes from two',
    ],
    ['sourceFaults', 'a folder of another name', 'core/sqlite-wal/src/wal.ts', '', 'is not a word'],
    [
      'sourceFaults',
      'two values for one key',
      'core/postgres/package.json',
      '{"version":"9"}',
      'two layers set version',
    ],
    ['sourceFaults', 'a format without escaper', 'core/all/a.svg.ejs', '<%= name %>', 'no escaper'],
    [
      ...(['parameterFaults', 'a parameter that only the twin uses', 'core/auth/src/a.ts'] as const),
      ...(['export const a = (_now: number, id: number) => id\n', 'the parameter _now'] as const),
    ],
    ['templateFaults', 'raw output', 'core/all/a.ts.ejs', '<%- name %>', 'core/all/a.ts.ejs: not allowed'],
    ['templateFaults', 'nesting', 'core/all/a.ts.ejs', '<% if (auth) { %>\n<% if (auth_a) { %>\n', 'nested'],
    [
      'templateFaults',
      'five blocks',
      'core/all/a.ts.ejs',
      '<% if (auth) { %>\n<% } %>\n'.repeat(5),
      '5 blocks',
    ],
    [
      'templateFaults',
      'an unknown flag',
      'core/all/a.ts.ejs',
      '<% if (mysql) { %>\n<% } %>\n',
      'unknown flag',
    ],
    ['templateFaults', 'a tag in a file that is copied', 'core/all/a.ts', '<%= name %>', 'not rendered'],
    ['templateFaults', 'a template without a tag', 'core/all/a.ts.ejs', 'export {}', 'without a tag'],
  ] as const)('%s finds %s', (law, _, path, text, fault) => {
    expect(faultsWith(law, { [`/blueprints/${path}`]: text }).join('\n')).toContain(fault)
  })

  it.each([
    ['sourceFaults', 'a path in the layers of two package managers', 'core/yarn/pnpm-workspace.yaml', ''],
    [
      'twinFaults',
      'a path that the other profile does not have',
      'core/auth-a/src/b.ts',
      'export const a = 1',
    ],
  ] as const)('%s accepts %s', (law, _, path, text) => {
    expect(faultsWith(law, { [`/blueprints/${path}`]: text })).toEqual([])
  })

  it.each([
    ['a missing export', 'export const hash = 1\nexport const verify = 2\n'],
    ['another name', 'export const digest = 1\n'],
    ['a missing type', "export const hash = 'bcrypt'\nexport type Hash = string\n"],
    ['a default export', "export const hash = 'bcrypt'\nexport default hash\n"],
  ])('twinFaults finds %s', (_, text) => {
    const faults = faultsWith('twinFaults', { '/blueprints/core/auth-a/src/passwords.ts': text })
    expect(faults).toEqual([
      expect.stringMatching(/^src\/passwords\.ts: core\/auth-a exports .*; core\/auth-b exports hash$/),
    ])
  })

  it('twinFaults compares databases, and lets only mode none have less', () => {
    const databases = { '/blueprints/core/postgres/src/db.ts': 'export const pool = 1\n' }
    expect(faultsWith('twinFaults', databases)).toHaveLength(1)
    const more = {
      '/blueprints/core/auth/src/routes/notes.ts': 'export const notes = 1\nexport const owners = 1\n',
    }
    expect(faultsWith('twinFaults', more)).toEqual([])
    const less = { '/blueprints/core/auth/src/routes/notes.ts': 'export const owners = 1\n' }
    expect(faultsWith('twinFaults', less)).toHaveLength(1)
  })
})

describe('the exports of a module', () => {
  it('are found in each form', () => {
    const source = [
      'export const a = 1',
      'export async function b() {}',
      'export function* c() {}',
      'export class D {}',
      'export abstract class E {}',
      'export type F = 1',
      'export interface G {}',
      'export enum H {}',
      'export { i, j as k, type L } from "x"',
      "export type { M } from 'y'",
      "export * from './n.ts'",
      "export * as o from './n.ts'",
      'export default function p() {}',
      '  export const not = 1',
      '// export const not = 1',
      'const not = 1',
    ].join('\n')
    expect(exportsOf(source)).toEqual([
      ...['* from ./n.ts', 'D', 'E', 'F', 'G', 'H', 'L', 'M', 'a', 'b', 'c', 'default', 'i', 'k', 'o', 'p'],
    ])
  })
})
