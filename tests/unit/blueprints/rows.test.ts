import { describe, expect, it } from 'vitest'
import { withRows } from '../../../src/blueprints/rows.ts'

const README = `# my-api

## Commands

| command | does |
|---|---|
| \`dev\` | runs |

Text.

## Map

    src/   code
    test/  tests

## Rules

- One.
- Two.
`

describe('the rows of an add-on', () => {
  it('come last in the table, list or map under their heading', () => {
    const part =
      '## Map\n\n    pages/ pages\n\n## Commands\n\n| `backup` | backs up |\n\n## Rules\n\n- Three.\n'
    expect(withRows('README.md', README, part)).toBe(
      README.replace('| runs |\n', '| runs |\n| `backup` | backs up |\n')
        .replace('tests\n', 'tests\n    pages/ pages\n')
        .replace('- Two.\n', '- Two.\n- Three.\n'),
    )
  })

  it.each([
    ['a heading that the document does not have', '## Settings\n\n| a | b |\n'],
    ['a kind of row that the heading does not have', '## Commands\n\n- A rule.\n'],
  ])('are refused with %s', (_, part) => {
    expect(() => withRows('README.md', README, part)).toThrow('README.md: no place for a row')
  })
})
