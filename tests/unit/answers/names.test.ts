import { describe, expect, it } from 'vitest'
import { nameFault, suggestedName } from '../../../src/answers/names.ts'
import { runCommand } from '../../support/fixtures.ts'

const good = [
  'a',
  '7',
  'my-api',
  'my_api',
  'my.api',
  'a--b',
  'api2',
  'context',
  'contact',
  'com10',
  'x'.repeat(64),
]

const hostile = [
  ['empty', ''],
  ['a space', ' '],
  ['upper case', 'My-Api'],
  ['a leading dot', '.hidden'],
  ['a trailing dot', 'api.'],
  ['a leading hyphen', '-rf'],
  ['a trailing hyphen', 'api-'],
  ['a leading underscore', '_api'],
  ['a dot', '.'],
  ['two dots', '..'],
  ['three dots', '...'],
  ['a path', 'a/b'],
  ['a Windows path', 'a\\b'],
  ['a drive', 'c:'],
  ['a home', '~'],
  ['a scope', '@scope/api'],
  ['65 characters', 'x'.repeat(65)],
  ['a megabyte', 'x'.repeat(1_000_000)],
  ['con', 'con'],
  ['prn', 'prn'],
  ['aux', 'aux'],
  ['nul', 'nul'],
  ['com1', 'com1'],
  ['com0', 'com0'],
  ['lpt9', 'lpt9'],
  ['con with an extension', 'con.txt'],
  ['nul with two extensions', 'nul.tar.gz'],
  ['node_modules', 'node_modules'],
  ['favicon.ico', 'favicon.ico'],
  ['fs', 'fs'],
  ['http', 'http'],
  ['worker_threads', 'worker_threads'],
  ['a quote', "a'b"],
  ['a double quote', 'a"b'],
  ['a backtick', 'a`b'],
  ['a command substitution', '$(id)'],
  ['a semicolon', 'a;id'],
  ['a template tag', '<%= x %>'],
  ['a line break', 'a\nb'],
  ['a line break at the end', 'api\n'],
  ['a NUL', 'a\0b'],
  ['an ANSI escape', '\u001b[31mapi'],
  ['a C1 control', 'a\u009bb'],
  ['a bidirectional override', 'a\u202eb'],
  ['a zero-width space', 'a\u200bb'],
  ['a Kelvin sign', 'api\u212a'],
  ['a dotless i', 'ap\u0131'],
  ['a full-width letter', '\uff41pi'],
  ['a Cyrillic a', '\u0430pi'],
  ['a combining accent', 'api\u0301'],
  ['a lone surrogate', 'a\ud800'],
  ['an emoji', '🚀'],
  ['__proto__', '__proto__'],
] as const

describe('names', () => {
  it.each(good)('accepts %s', (name) => {
    expect(nameFault(name)).toBeUndefined()
  })

  it.each([
    ['My Api', 'my-api'],
    ['Café 2', 'cafe-2'],
    ['  Shop_(v2)!  ', 'shop_-v2'],
    ['@scope/api', 'scope-api'],
    ['a'.repeat(100), 'a'.repeat(64)],
    ['con', undefined],
    ['…', undefined],
    ['Fs', undefined],
  ])('suggests a valid name for %s', (name, expected) => {
    expect(suggestedName(name)).toBe(expected)
  })

  it('suggests a name for a directory that has none', async () => {
    const { exitCode, stderr } = await runCommand(['My Api', '--mode', 'none', '--yes'])
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/For example: my-api\.\n$/),
    })
  })

  it.each(hostile)('refuses %s', (_, name) => {
    expect(nameFault(name)).toMatch(/^must /)
  })

  it.each(hostile)('refuses %s as the directory: one line, exit 2, nothing written', async (_, name) => {
    // As a directory, these are valid paths. target.test.ts covers them.
    if (name === '.' || name === 'a/b' || name === '@scope/api') return
    const { exitCode, stderr, stdout, system } = await runCommand(['--mode', 'none', '--yes', '--', name])
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^create-authsmith: [^\p{Cc}\p{Cf}\p{Cs}]+\n$/u)
    expect(stderr.length).toBeLessThan(400)
    expect(system.fs.readdirSync('/work')).toEqual([])
  })
})
