import { describe, expect, it } from 'vitest'
import { answersSchema } from '../../../src/cli/resolve-answers.ts'
import { memoryFs, runCommand } from '../../support/fixtures.ts'

const from = (text: string, argv: readonly string[] = []) =>
  runCommand(['--from', 'answers.json', '--json', '--dry-run', ...argv], {
    fs: memoryFs({ '/work/answers.json': text }).fs,
  })

const answersOf = async (answers: object, argv: readonly string[] = []) => {
  const { stdout, exitCode } = await from(JSON.stringify(answers), argv)
  expect(JSON.parse(stdout)).toMatchObject({ exitCode })
  return JSON.parse(stdout).answers
}

const BASIC_A = {
  name: 'my-api',
  mode: 'basic',
  profile: 'A',
  database: 'sqlite',
  addOns: [],
  packageManager: 'pnpm',
}

describe('answers from a file', () => {
  it('are enough, and the answers that --json reports are such a file', async () => {
    expect(await answersOf(BASIC_A)).toEqual(BASIC_A)
    expect(await answersOf({ name: 'x', mode: 'none' })).toEqual({
      ...{ name: 'x', mode: 'none', database: 'sqlite', addOns: [], packageManager: 'npm' },
    })
    expect(await answersOf({ ...BASIC_A, profile: 'b' })).toMatchObject({ profile: 'B' })
  })

  it('are overridden by flags', async () => {
    expect(await answersOf(BASIC_A, ['other', '-p', 'B', '--package-manager', 'yarn'])).toEqual({
      ...{
        name: 'other',
        mode: 'basic',
        profile: 'B',
        database: 'sqlite',
        addOns: [],
        packageManager: 'yarn',
      },
    })
    expect(await answersOf(BASIC_A, ['-m', 'none'])).not.toHaveProperty('profile')
  })

  it('are completed by the defaults of --yes', async () => {
    expect(await answersOf({ name: 'x', mode: 'basic' }, ['--yes'])).toMatchObject({ profile: 'B' })
  })

  it('may start with a byte order mark', async () => {
    expect((await from(`\ufeff${JSON.stringify(BASIC_A)}`)).exitCode).toBe(0)
  })

  it.each([
    ['an empty file', '', 'is not JSON'],
    ['text', 'mode: basic', 'is not JSON'],
    ['half an object', '{"mode":"basic"', 'is not JSON'],
    ['JSON with a control character', '{"mode":"\u0007"}', 'is not JSON'],
    ['null', 'null', 'must contain one JSON object'],
    ['an array', '[{"mode":"none"}]', 'must contain one JSON object'],
    ['a string', '"none"', 'must contain one JSON object'],
    ['a number', '1e999', 'must contain one JSON object'],
    ['an unknown key', '{"mod":"none"}', 'unknown key "mod"'],
    ['a key of the command only', '{"install":false}', 'unknown key "install"'],
    ['a hostile key', '{"\\u001b[2J":1}', 'unknown key "\\u{1b}[2J"'],
    ['__proto__', '{"__proto__":{"mode":"none"}}', 'unknown key "__proto__"'],
    ['constructor', '{"constructor":{"prototype":{"mode":"none"}}}', 'unknown key "constructor"'],
    ['a number for a mode', '{"mode":1}', '"mode" must be none, basic or complete, not 1'],
    ['an array for a mode', '{"mode":["none"]}', 'not ["none"]'],
    ['null for a mode', '{"mode":null}', 'not null'],
    ['true for a name', '{"name":true}', '"name" must be a string'],
    ['another case', '{"mode":"NONE"}', 'not "NONE"'],
    ['a path as name', '{"name":"../../etc/x","mode":"none"}', '"name" must consist of lower-case'],
    ['an absolute path as name', '{"name":"/tmp/x","mode":"none"}', '"name" must consist of lower-case'],
    ['a device as name', '{"name":"nul","mode":"none"}', 'device name'],
    ['an object for a package manager', '{"packageManager":{"toString":1}}', '"packageManager" must be npm'],
    ['a profile with mode none', '{"mode":"none","profile":"A"}', 'Mode none has no profile'],
    ['deep nesting', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'must contain one JSON object'],
    ['a long value', `{"mode":"${'x'.repeat(5000)}"}`, '"mode" must be'],
    ['a huge file', `{"mode":"${'x'.repeat(100_000)}"}`, 'is larger than 65536 bytes'],
  ])('are refused: %s', async (_, text, part) => {
    const { exitCode, stdout, stderr, system } = await from(text)
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: '' })
    expect(JSON.parse(stdout).error).toEqual({ code: 'usage', message: expect.stringContaining(part) })
    expect(stdout.length).toBeLessThan(500)
    expect(system.fs.readdirSync('/work')).toEqual(['answers.json'])
    expect(({} as { mode?: string }).mode).toBeUndefined()
  })

  it('are refused from anything but a text file', async () => {
    const memory = memoryFs({ '/work/folder/a': '' })
    memory.volume.writeFileSync('/work/latin-1.json', Buffer.from('{"name":"é"}', 'latin1'))
    memory.volume.symlinkSync('/nowhere', '/work/dangling')
    for (const file of ['missing.json', 'latin-1.json', 'folder', 'dangling', 'folder/a/b', '\u001b[2J']) {
      const { exitCode, stderr } = await runCommand(['x', '--from', file], { fs: memory.fs })
      expect(exitCode).toBe(2)
      expect(stderr).toMatch(/^create-authsmith: `--from [^\p{Cc}]+\n$/u)
    }
  })
})

describe('the JSON Schema of the file', () => {
  it('is printed, and describes what the file may contain', async () => {
    const { exitCode, stdout } = await runCommand(['--print-schema'])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual(answersSchema())
    expect(answersSchema()).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      properties: {
        name: { type: 'string', pattern: expect.any(String), maxLength: 64 },
        mode: { enum: ['none', 'basic', 'complete'] },
        profile: { enum: ['A', 'B', 'a', 'b'] },
        database: { enum: ['sqlite', 'postgres'] },
        packageManager: { enum: ['npm', 'pnpm', 'yarn', 'bun'] },
      },
    })
    expect(answersSchema()).not.toHaveProperty('required')
  })
})
