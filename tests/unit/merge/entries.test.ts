import { describe, expect, it } from 'vitest'
import { mergeText } from '../../../src/merge/merge-text.ts'

const listOf = (...files: string[]) =>
  files.map((file) => `export { ${file} } from './${file}.ts'\n`).join('')
const tableOf = (...rows: string[]) => `| a |\n|---|\n${rows.map((row) => `| ${row} |\n`).join('')}\nText.\n`

const merged = (base: string, disk: string, next: string) => mergeText(base, disk, next, 'none')

describe('entries that the owner and an add-on add to one place', () => {
  it.each([
    ['a list, before and after', ['server'], ['billing', 'server'], ['metrics', 'server']],
    ['the end of a list', ['server'], ['server', 'zebra'], ['redis', 'server', 'types']],
  ])('are all in %s, sorted', (_, base, disk, next) => {
    const all = [...new Set([...disk, ...next])].sort()
    expect(merged(listOf(...base), listOf(...disk), listOf(...next))).toEqual({
      text: listOf(...all),
      conflicts: 0,
    })
  })

  // Formatters choose the quotes and the semicolons.
  it.each([
    ['all lines', (text: string) => text.replaceAll("'", '"').replaceAll('\n', ';\n')],
    ["the owner's line", (text: string) => text.replace("'./billing.ts'", '"./billing.ts";')],
  ])('are all in a list of another style, in which the owner has %s', (_, style) => {
    const list = (...files: string[]) => style(listOf(...files))
    const { text, conflicts } = merged(
      listOf('errors', 'server'),
      list('billing', 'errors', 'server', 'x'),
      listOf('admin', 'errors', 'server', 'x'),
    )
    expect(conflicts).toBe(0)
    const [first, ...others] = text.split('\n')
    expect(first).toBe("export { admin } from './admin.ts'")
    expect(others[0]).toBe(list('billing').trimEnd())
    expect(text.replaceAll('"', "'").replaceAll(';', '')).toBe(
      listOf('admin', 'billing', 'errors', 'server', 'x'),
    )
  })

  it('are gone if the add-on removed them, whatever the style', () => {
    const style = (text: string) => text.replaceAll("'", '"').replaceAll('\n', ';\n')
    const { text, conflicts } = merged(listOf('a', 'c'), style(listOf('a', 'b', 'c')), listOf('a'))
    expect({ text, conflicts }).toEqual({ text: style(listOf('a', 'b')), conflicts: 0 })
  })

  it('are all in a table, the generated ones first', () => {
    expect(merged(tableOf('x'), tableOf('x', 'mine'), tableOf('x', 'new'))).toEqual({
      text: tableOf('x', 'new', 'mine'),
      conflicts: 0,
    })
  })

  it('are there once if both added them', () => {
    const next = listOf('server', 'x', 'y')
    expect(merged(listOf('server'), listOf('server', 'x'), next)).toEqual({ text: next, conflicts: 0 })
  })

  it('are all in .env.example', () => {
    const base = '# Port\nPORT=1\n'
    expect(merged(base, `${base}\n# Mine\nMINE=1\n`, `${base}\n# New\nNEW=\n`)).toEqual({
      text: `${base}\n# New\nNEW=\n\n# Mine\nMINE=1\n`,
      conflicts: 0,
    })
  })
})

describe('entries that an add-on takes away', () => {
  it.each([
    ['list', listOf],
    ['table', tableOf],
  ])('leave those of the owner beside them in the %s', (_, of) => {
    const [base, disk, next] = [of('a', 'new'), of('a', 'new', 'own'), of('a')]
    expect(merged(base, disk, next)).toEqual({ text: of('a', 'own'), conflicts: 0 })
  })
})

describe('what stays a conflict', () => {
  it.each([
    ['an entry that both changed', tableOf('x'), tableOf('mine'), tableOf('new')],
    ['an entry that the owner changed and that goes', tableOf('a', 'x'), tableOf('a', 'mine'), tableOf('a')],
    ['lines that are no entries', 'const a = 1\n', 'const a = 1\nmine()\n', 'const a = 1\nnew()\n'],
  ])('%s', (_, base, disk, next) => {
    expect(merged(base, disk, next).conflicts).toBe(1)
  })
})
