import { describe, expect, it } from 'vitest'
import { runCommand } from '../../support/fixtures.ts'
import { runSmall, smallProject } from '../../support/small-project.ts'

const FROM = ['--from', 'file:a.db']
const TO = ['--to', 'file:b.db']

describe('copy-data', () => {
  it.each([
    [[...FROM], 'Required option `--to <database>` not specified'],
    [[...TO], 'Required option `--from <database>` not specified'],
    [[...FROM, ...FROM, ...TO], '`--from` is given twice'],
    [[...FROM, ...TO, '--replace'], 'Unknown option `--replace`'],
    [[...FROM, ...TO, 'more'], 'Too many arguments'],
    [['--from', 'mysql://me:geheim@x', ...TO], '`--from` must be a SQLite file'],
    [[...FROM, '--to', 'postgres://me:geheim@x/y'], 'regenerate --database postgres'],
    [[...FROM, ...TO, '--form=postgres://me:geheim@x/y'], 'Unknown option `--form`'],
    [[...FROM, ...TO, 'postgres://me:geheim@x/y'], 'Too many arguments'],
  ])('%j is a usage error that does not show a password', async (args, part) => {
    const memory = await smallProject()
    const { exitCode, stdout, stderr } = await runSmall(memory, ['copy-data', ...args])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/^create-authsmith: [^\n]+\n$/)
    expect(stderr).toContain(part)
    expect(stderr).not.toContain('geheim')

    const json = await runSmall(memory, ['copy-data', '--json', ...args])
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, exitCode: 2, error: { code: 'usage' } })
    expect(json.stdout).not.toContain('geheim')
  })

  it('outside a project is refused', async () => {
    const { exitCode, stderr } = await runCommand(['copy-data', ...FROM, ...TO])
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining('.authsmith') })
  })

  it('is a command and not a directory', async () => {
    const { exitCode, stderr } = await runCommand(['--mode', 'none', 'copy-data'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('`copy-data` is a command')
  })

  it('says in its help what comes before it, and its exit codes', async () => {
    const { exitCode, stdout } = await runCommand(['copy-data', '--help'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('regenerate --database postgres')
    for (const code of ['0  ', '1  ', '2  ', '3  ', '130'])
      expect(stdout).toMatch(new RegExp(`^  ${code}  \\S`, 'm'))
  })
})
