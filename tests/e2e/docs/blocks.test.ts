import { describe, expect, test } from 'vitest'
import { applyDiff, blocksOf, pagesOf } from './blocks.ts'
import { expectResponse, parseResponse } from './response.ts'

describe('the blocks of a page', () => {
  test('have a place, a file, and a reason if they are not run', () => {
    const page =
      '# A\n\n`src/a.ts`\n\n```ts\na\n```\n\n<!-- not run: needs Docker -->\n```sh\nb\n```\n\n```sh\nc\n```\n\n`src/d.ts`\n\n<!-- not run: yours -->\n```ts\nd\n```\n'
    expect(blocksOf('docs/a.md', page)).toEqual([
      { place: 'docs/a.md:5', language: 'ts', text: 'a\n', file: 'src/a.ts' },
      { place: 'docs/a.md:10', language: 'sh', text: 'b\n', notRun: 'needs Docker' },
      { place: 'docs/a.md:14', language: 'sh', text: 'c\n' },
      { place: 'docs/a.md:21', language: 'ts', text: 'd\n', file: 'src/d.ts', notRun: 'yours' },
    ])
  })

  test.each(['```sh\na\n', '```\na\n```\n'])('%o is refused', (page) => {
    expect(() => blocksOf('docs/a.md', page)).toThrow('docs/a.md:1: a block that is not closed')
  })

  test('the pages are those in the table of README.md', () => {
    expect(
      pagesOf(
        '[x](docs/x.md)\n\n| [B](docs/b.md), [C](docs/c.md) | b |\n| [A](docs/a.md) | [d](docs/d.md) |\n',
      ),
    ).toEqual(['README.md', 'docs/b.md', 'docs/c.md', 'docs/a.md'])
  })
})

describe('a diff', () => {
  test('changes the lines it names, and no others', () => {
    expect(applyDiff('a\n  b\nc\nd\n', '   b\n+x\n@@\n-d\n+e\n')).toBe('a\n  b\nx\nc\ne\n')
  })

  test.each(['  z\n+x\n', ' b\n+x\n'])('%o is refused if its lines do not occur exactly once', (diff) => {
    expect(() => applyDiff('a\nb\nb\nc\n', diff)).toThrow(/found [02] times, not once/)
  })
})

describe('a response', () => {
  const shown = parseResponse(
    'HTTP/1.1 201 Created\n\n{"id":1,"at":"2026-01-01T12:00:00.000Z","token":"eyJ…","list":[{"a":1},"…"]}\n',
  )
  const body = { id: 7, at: '2027-02-02T10:00:00.123Z', token: 'eyJx', list: [{ a: 1 }, { a: 2 }] }
  const expectBody = (actual: object, status = 201) =>
    expectResponse({ status, body: JSON.stringify(actual) }, shown, 'docs/a.md:1')

  test('may differ in values that change with every run', () => {
    expectBody(body)
  })

  test.each([
    ['a status', body, 200],
    ['a field too many', { ...body, more: 1 }, 201],
    ['a field too few', { ...body, at: undefined }, 201],
    ['another time format', { ...body, at: 'yesterday' }, 201],
    ['another value', { ...body, token: 'abc' }, 201],
    ['another element', { ...body, list: [{ a: 3 }, { a: 2 }] }, 201],
  ])('may not differ in %s', (_, actual, status) => {
    expect(() => expectBody(actual, status)).toThrow()
  })
})
