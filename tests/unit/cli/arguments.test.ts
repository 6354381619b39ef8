// Covers src/cli/commands.ts, src/cli/help-texts.ts.
import { describe, expect, it } from 'vitest'
import { parseArguments } from '../../../src/cli/arguments.ts'
import { UserError } from '../../../src/system/errors.ts'
import { runCommand } from '../../support/fixtures.ts'

const MODE_NONE = ['--mode', 'none', '--no-install', '--no-git']

describe('the commands', () => {
  it.each([
    [[], { kind: 'create' }],
    [['my-api', '-y'], { kind: 'create', directory: 'my-api', flags: { yes: true } }],
    [['-y', 'my-api'], { kind: 'create', directory: 'my-api', flags: { yes: true } }],
    [['./status'], { kind: 'create', directory: './status' }],
    [['regenerate'], { kind: 'regenerate', flags: { install: true, existingUsers: 'unverified' } }],
    [
      ['regenerate', '-m', 'none', '--no-install'],
      { kind: 'regenerate', flags: { mode: 'none', install: false } },
    ],
    [['regenerate', '--abort', '--yes'], { kind: 'regenerate', flags: { abort: true, yes: true } }],
    [['status', '--json'], { kind: 'status', flags: { json: true } }],
    [['status', '--no-color'], { kind: 'status' }],
  ])('are recognized with their flags: %j', (argv, expected) => {
    expect(parseArguments(argv)).toMatchObject(expected)
  })

  it.each([
    [['--help'], 'Usage: create-authsmith [options] [command] [directory]\n'],
    [['regenerate', '--help'], 'Usage: create-authsmith regenerate [options]\n'],
    [['status', '-h'], 'Usage: create-authsmith status [options]\n'],
  ])('have help, with every exit code: %j', (argv, usage) => {
    const { text } = parseArguments(argv) as { text: string }
    expect(text.startsWith(usage)).toBe(true)
    for (const code of [0, 1, 2, 3, 4, 130]) expect(text).toMatch(new RegExp(`^ {2}${code} +\\w`, 'm'))
  })

  it('are listed by the help', () => {
    expect(parseArguments(['--help'])).toMatchObject({
      text: expect.stringMatching(/^Commands:\n {2}regenerate .+\n {2}status /ms),
    })
  })
})

describe('a misspelled command', () => {
  it.each([
    ['statsu', 'status'],
    ['statu', 'status'],
    ['stattus', 'status'],
    ['stadus', 'status'],
    ['Status', 'status'],
    ['regenrate', 'regenerate'],
    ['regnerate', 'regenerate'],
    ['regenerat', 'regenerate'],
    ['re-generate', 'regenerate'],
    ['REGENERATE', 'regenerate'],
  ])('%s is not a directory: did you mean %s?', async (word, name) => {
    const message = `Unknown command \`${word}\`. Did you mean ${name}? To create a project of that name, use \`./${word}\`.`
    // Before anything else that is wrong: the flags are those of the command that was meant.
    for (const argv of [[word], [word, ...MODE_NONE], ['--yes', word], [word, '--check'], [word, 'a', 'b']]) {
      const { exitCode, stdout, stderr, system } = await runCommand(argv, { interactive: true })
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `create-authsmith: ${message}\n`,
      })
      expect(system.fs.readdirSync('/work')).toEqual([])
    }
    const { stdout } = await runCommand([word, '--json'])
    expect(JSON.parse(stdout)).toEqual({ ok: false, exitCode: 2, error: { code: 'usage', message } })
  })

  it.each(['stat', 'state', 'start', 'static', 'site', 'generate', 'generator', 'my-api', 'a'])(
    'is more than one typing mistake away from %s, a project',
    async (name) => {
      const { exitCode, system } = await runCommand([name, ...MODE_NONE])
      expect({ exitCode, entries: system.fs.readdirSync('/work') }).toEqual({ exitCode: 0, entries: [name] })
    },
  )

  it.each(['./statsu', './status', 'apps/statsu'])('is a directory as %s', async (directory) => {
    const { exitCode, system } = await runCommand([directory, ...MODE_NONE])
    expect(exitCode).toBe(0)
    expect(system.fs.existsSync(`/work/${directory}/package.json`)).toBe(true)
  })
})

it('keeps a long or hostile argument to one short line', () => {
  const parsing = () => parseArguments([`--${'x'.repeat(100_000)}\n(\u001b[31m`])
  expect(parsing).toThrow(UserError)
  expect(parsing).toThrow(/^Unknown option `--x{10,190}….{0,100}$/s)
})
