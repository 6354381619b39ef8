import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ADD_ON_NAMES, definitionOf, requirementOf } from '../../src/answers/add-ons.ts'
import { parseArguments } from '../../src/cli/arguments.ts'
import { exampleAnswers } from '../support/examples.ts'
import { anchorsOf, proseOf } from './pages.ts'

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...fs
    .readdirSync('docs', { withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [`docs/${entry.name}`] : [])),
]

const read = (page: string) => fs.readFileSync(page, 'utf8')

const longFlags = (text: string) => [...text.matchAll(/--[a-z][\w-]*/g)].map(([flag]) => flag)

/** The flags in the first column of the tables below a heading. */
function flagsInTables(page: string, heading: string): string[] {
  const [, after = ''] = `\n${read(page)}`.split(`\n${heading}\n`)
  const [section = ''] = after.split(/^#+ /m)
  return [...section.matchAll(/^\| (`-.*?) \|/gm)].flatMap(([, cell = '']) => longFlags(cell))
}

function flagsInHelp(...command: string[]): string[] {
  const parsed = parseArguments([...command, '--help'])
  const options = parsed.kind === 'help' ? /^Options:\n(.*?)\n\n/ms.exec(parsed.text)?.[1] : undefined
  return longFlags(
    [...(options ?? '').matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag).join(' '),
  )
}

/** The flags of a command, without those that every command has. */
const ownFlags = (command: string) =>
  flagsInHelp(command)
    .filter((flag) => !['--help', '--no-color'].includes(flag))
    .sort()

describe.each(PAGES)('%s', (page) => {
  it('has only links that lead somewhere', () => {
    const links = [
      ...proseOf(read(page))
        .replace(/^ {4}.*$/gm, '')
        .replace(/`[^`]*`/g, '')
        .matchAll(/\]\(([^)\s]+)\)/g),
    ].map(([, link = '']) => link)
    const dead = links.filter((link) => {
      if (/^https?:/.test(link)) return false
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      return !fs.existsSync(target) || (anchor !== undefined && !anchorsOf(read(target)).includes(anchor))
    })
    expect(dead).toEqual([])
  })

  it('names only scripts that exist', () => {
    const { scripts: own } = JSON.parse(read('package.json'))
    const { scripts: generated } = JSON.parse(read('examples/complete-b-sqlite/package.json'))
    const current = page === 'CHANGELOG.md' ? '' : read(page)
    const named = [...current.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !(name in own) && !(name in generated))).toEqual([])
  })
})

describe('docs/threat-model.md', () => {
  const rows = [...read('docs/threat-model.md').matchAll(/^\| .* \| ([^|]+) \|$/gm)].map(
    ([, cell = '']) => cell,
  )
  const named = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))

  it('names a test for each attack, and each exists', () => {
    expect(named.length).toBeGreaterThan(30)
    expect(rows.filter((cell) => cell.trim() !== 'test' && !cell.includes('`'))).toEqual([])
    const fileOf = (name: string) =>
      name.includes('/') ? name : `examples/complete-b-sqlite-all/test/security/${name}.test.ts`
    expect(named.filter((name) => !fs.existsSync(fileOf(name)))).toEqual([])
  })

  it('is one page', () => {
    expect(read('docs/threat-model.md').split('\n').length).toBeLessThanOrEqual(60)
  })
})

describe('docs/command.md', () => {
  it('lists the flags of create', () => {
    expect(flagsInTables('docs/command.md', '## Flags').sort()).toEqual(flagsInHelp().sort())
  })

  it('lists the exit codes of --help', () => {
    const parsed = parseArguments(['--help'])
    const [, help = ''] = parsed.kind === 'help' ? parsed.text.split('Exit codes:') : []
    const codes = (text: string, row: RegExp) => [...text.matchAll(row)].map(([, code]) => code)
    expect(codes(read('docs/command.md'), /^\| (\d+) \|/gm)).toEqual(codes(help, /^ {2}(\d+) /gm))
  })
})

describe('the tables of add-ons', () => {
  const rows = (page: string, cells: number) =>
    [...read(page).matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)]
      .map(([, name = '', rest = '']) => [name, ...rest.split(' | ')])
      .filter(([name = '', ...rest]) => ADD_ON_NAMES.some((addOn) => addOn === name) && rest.length === cells)

  it('list each of them with its line, in docs/add-ons.md with what it needs', () => {
    expect(rows('README.md', 1)).toEqual(ADD_ON_NAMES.map((addOn) => [addOn, definitionOf(addOn).line]))
    expect(rows('docs/add-ons.md', 2)).toEqual(
      ADD_ON_NAMES.map((addOn) => [addOn, definitionOf(addOn).line, requirementOf(addOn)]),
    )
  })

  it('come with the flags of add and remove', () => {
    expect(flagsInTables('docs/add-ons.md', '## Choose').sort()).toEqual(ownFlags('add'))
    expect(ownFlags('remove')).toEqual(ownFlags('add'))
  })
})

describe('docs/regenerate.md', () => {
  it('is short: 120 lines, 30 words in a cell of a table', () => {
    const lines = read('docs/regenerate.md').trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(120)
    const cells = lines.filter((line) => line.startsWith('|')).flatMap((line) => line.split('|'))
    expect(cells.filter((cell) => cell.trim().split(/\s+/).length > 30)).toEqual([])
  })

  it('lists the flags of regenerate', () => {
    expect(flagsInTables('docs/regenerate.md', '# Switch and update').sort()).toEqual(ownFlags('regenerate'))
  })

  it('lists the flags of audit', () => {
    expect(flagsInTables('docs/regenerate.md', '## Fix known defects').sort()).toEqual(ownFlags('audit'))
  })

  it('lists the flags of copy-data', () => {
    expect(flagsInTables('docs/regenerate.md', '## Move to another database').sort()).toEqual(
      ownFlags('copy-data'),
    )
  })
})

describe('docs/contract.md', () => {
  it('names only settings of the examples', () => {
    const known = [...exampleAnswers().keys()].flatMap((example) =>
      [...read(`examples/${example}/.env.example`).matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name),
    )
    const named = [...read('docs/contract.md').matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)]
    expect(named.map(([, name]) => name).filter((name) => !known.includes(name))).toEqual([])
  })
})
