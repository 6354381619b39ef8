import fs from 'node:fs'
import { expect, it } from 'vitest'
import { defaultAddOns } from '../../../src/answers/add-ons.ts'
import { planOf } from '../../../src/blueprints/layers.ts'
import { type Files, filesBelow } from '../../../src/system/file-system.ts'
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
| none-sqlite             |      32 |  2,018 |    22 |    97 |
| none-postgres           |      34 |  2,224 |    26 |   103 |
| basic-a-sqlite          |      73 |  4,601 |    63 |   186 |
| basic-a-postgres        |      75 |  4,810 |    69 |   194 |
| basic-b-sqlite          |      74 |  4,651 |    65 |   189 |
| basic-b-postgres        |      76 |  4,860 |    71 |   197 |
| complete-a-sqlite       |     103 |  7,122 |   105 |   279 |
| complete-a-postgres     |     105 |  7,331 |   112 |   288 |
| complete-b-sqlite       |     110 |  7,616 |   113 |   294 |
| complete-b-postgres     |     112 |  7,825 |   120 |   303 |
| complete-b-sqlite-yes   |     118 |  8,073 |   126 |   361 |
| complete-a-postgres-all |     266 | 16,099 |   244 |   715 |
| complete-b-sqlite-all   |     275 | 16,546 |   250 |   735 |
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
  projects.set('complete-b-sqlite-yes', renderOnce(planOf(answers)))
}

// An owner carries every line: the next feature makes room for itself, or becomes an add-on.
it.each(limits)('%s is not larger than its limits', (name, limit) => {
  const size = sizeOf(projects.get(name) ?? new Map())
  const kinds = Object.keys(limit) as (keyof Size)[]
  const excess = kinds.filter((kind) => size[kind] > limit[kind])
  expect(excess.map((kind) => `${size[kind]} ${kind}, at most ${limit[kind]}`)).toEqual([])
  expect(size.files).toBeGreaterThan(0)
})

it('src/ of the generator is not larger than its limit', () => {
  const texts = filesBelow(fs, 'src').map((path) => fs.readFileSync(`src/${path}`, 'utf8'))
  const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
  expect(lines).toBeGreaterThan(0)
  expect(lines).toBeLessThanOrEqual(11_300)
})

it('every project has limits', () => {
  expect(limits.map(([name]) => name).toSorted()).toEqual([...projects.keys()].toSorted())
})
