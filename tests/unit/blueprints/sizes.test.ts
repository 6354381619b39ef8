import { expect, it } from 'vitest'
import { defaultAddOns } from '../../../src/answers/add-ons.ts'
import { planOf } from '../../../src/blueprints/layers.ts'
import type { Files } from '../../../src/system/file-system.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'

interface Size {
  readonly sources: number
  readonly lines: number
  readonly tests: number
  readonly files: number
}

const table = `
| project                 | sources |  lines | tests | files |
| none-sqlite             |      32 |  1,762 |    22 |    97 |
| none-postgres           |      35 |  2,156 |    26 |   104 |
| basic-a-sqlite          |      77 |  4,536 |    63 |   190 |
| basic-a-postgres        |      79 |  4,915 |    70 |   198 |
| basic-b-sqlite          |      78 |  4,450 |    65 |   193 |
| basic-b-postgres        |      80 |  4,960 |    72 |   201 |
| complete-a-sqlite       |     110 |  6,831 |   107 |   287 |
| complete-a-postgres     |     113 |  7,414 |   114 |   296 |
| complete-b-sqlite       |     116 |  7,343 |   115 |   300 |
| complete-b-postgres     |     119 |  7,711 |   120 |   305 |
| complete-b-sqlite-pages |     119 |  7,495 |   122 |   340 |
| complete-a-postgres-all |     193 | 11,532 |   184 |   511 |
| complete-b-sqlite-all   |     203 | 11,877 |   189 |   532 |
`
const rows = table.trim().split('\n').slice(1)
const limits = rows.map((row): [string, Size] => {
  const [, name = '', ...cells] = row.split('|').map((cell) => cell.trim())
  const [sources = 0, lines = 0, tests = 0, files = 0] = cells.map((cell) => Number(cell.replace(',', '')))
  return [name, { sources, lines, tests, files }]
})

/** The size of a project: files with code below src/ and their lines, files below test/, and files in all. */
function sizeOf(project: Files): Size {
  const below = (folder: string) =>
    [...project].filter(([path]) => path.startsWith(folder) && path.endsWith('.ts'))
  const sources = below('src/')
  const lines = sources.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0)
  return { sources: sources.length, lines, tests: below('test/').length, files: project.size }
}

/** Every example, and complete B with the add-ons that a project has if its owner accepts the defaults. */
const projects = new Map([...exampleAnswers()].map(([name, answers]) => [name, renderOnce(planOf(answers))]))
const core = exampleAnswers().get('complete-b-sqlite')
if (core) {
  const answers = { ...core, addOns: defaultAddOns(core) }
  projects.set('complete-b-sqlite-pages', renderOnce(planOf(answers)))
}

// An owner carries every line: the next feature makes room for itself, or becomes an add-on.
it.each(limits)('%s is not larger than its limits', (name, limit) => {
  const size = sizeOf(projects.get(name) ?? new Map())
  const kinds = Object.keys(limit) as (keyof Size)[]
  const excess = kinds.filter((kind) => size[kind] > limit[kind])
  expect(excess.map((kind) => `${size[kind]} ${kind}, at most ${limit[kind]}`)).toEqual([])
  expect(size.files).toBeGreaterThan(0)
})

it('every project has limits', () => {
  expect(limits.map(([name]) => name).toSorted()).toEqual([...projects.keys()].toSorted())
})
