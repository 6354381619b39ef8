// Covers src/cli.ts.
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { type Finished, run } from '../support/command.ts'
import { cli, createProject } from '../support/create-project.ts'
import { environment } from '../support/environment.ts'
import { filesBelow, newFolder } from '../support/folder.ts'

const BASIC = ['--mode', 'basic', '--profile', 'B']
const QUICK = ['--no-install', '--no-git']

/** Checks that stderr is one line without a stack trace, and stdout is empty. */
function expectOneLine({ stdout, stderr }: Finished, pattern: RegExp): void {
  expect(stdout).toBe('')
  expect(stderr).toMatch(pattern)
  expect(stderr).toMatch(/^create-authsmith: [^\n]+\n$/)
}

describe('without a terminal', () => {
  test.each([
    [[], /\[?directory/],
    [['my-api', '--mode', 'basic'], /--profile/],
    [['my-api', ...BASIC, '--unknown'], /--unknown/],
    [['my-api', '--from', 'missing.json'], /--from missing\.json/],
  ])(
    '%j is a usage error: exit code 2, one line with the fix, and nothing is written',
    async (args, hint) => {
      const cwd = newFolder()
      const result = await cli(args, { cwd })
      expect(result.code).toBe(2)
      expectOneLine(result, hint)
      expect(readdirSync(cwd)).toEqual([])

      const json = await cli([...args, '--json'], { cwd })
      expect(json).toMatchObject({ code: 2, stderr: '' })
      expect(JSON.parse(json.stdout)).toEqual({
        ok: false,
        exitCode: 2,
        error: { code: 'usage', message: expect.stringMatching(hint) },
      })
    },
  )

  // It takes milliseconds to load, and scripts and people wait for both.
  test.each(['--help', '--version'])('%s does not load child_process', async (flag) => {
    const report = "console.error(process.moduleLoadList.includes('NativeModule child_process'))"
    const preload = `data:text/javascript,${encodeURIComponent(`process.once('exit', () => ${report})`)}`
    const result = await cli([flag], { cwd: newFolder(), env: { NODE_OPTIONS: `--import=${preload}` } })
    expect(result).toMatchObject({ code: 0, stderr: 'false\n' })
  })

  test('--yes alone uses mode complete, profile B and SQLite', async () => {
    const cwd = newFolder()
    const result = await cli(['my-api', '--yes', '--no-install', '--no-git', '--json'], { cwd })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(result.stdout).answers).toMatchObject({
      mode: 'complete',
      profile: 'B',
      database: 'sqlite',
    })
  })

  test('does not wait for input that stays open', async () => {
    const cwd = newFolder()
    expect((await cli(['my-api'], { cwd, input: 'open' })).code).toBe(2)
  })

  test('the output contains no escape sequence', async () => {
    const { code, stdout, stderr } = await cli(['my-api', ...BASIC, ...QUICK], { cwd: newFolder() })
    expect(code).toBe(0)
    expect(stdout + stderr).not.toContain('\u001b')
  })
})

describe('exit code 3, with nothing changed', () => {
  test.each<[string, (target: string) => void]>([
    ['a folder that is not empty', (target) => mkdirSync(join(target, 'src'), { recursive: true })],
    ['a file', (target) => writeFileSync(target, 'mine')],
    ['a symbolic link to a folder', (target) => symlinkSync(newFolder(), target)],
    ['a dangling symbolic link', (target) => symlinkSync(join(newFolder(), 'nowhere'), target)],
  ])('refuses %s as the target', async (_what, prepare) => {
    const cwd = newFolder()
    prepare(join(cwd, 'my-api'))
    const before = filesBelow(cwd)
    const result = await cli(['my-api', ...BASIC, ...QUICK], { cwd })
    expect(result.code).toBe(3)
    expectOneLine(result, /my-api/)
    expect(filesBelow(cwd)).toEqual(before)
    const json = await cli(['my-api', ...BASIC, ...QUICK, '--json'], { cwd })
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, exitCode: 3, error: { code: 'refused' } })
  })
})

describe('exit code 1, if a step after writing fails', () => {
  test('the project is written, and the error names the command to repeat the step', async () => {
    const [cwd, programs] = [newFolder(), newFolder()]
    writeFileSync(join(programs, 'npm'), '#!/bin/sh\necho the registry is down >&2\nexit 7\n', {
      mode: 0o755,
    })
    const env = { PATH: programs + delimiter + environment().PATH }
    const { code, stderr } = await cli(['my-api', ...BASIC, '--no-git'], { cwd, env })
    expect(code).toBe(1)
    expect(stderr).toContain('the registry is down')
    expect(stderr).toMatch(/project was written.*npm install/)
    expect(existsSync(join(cwd, 'my-api/package.json'))).toBe(true)

    const json = await cli(['other', ...BASIC, '--no-git', '--json'], { cwd, env })
    expect(json.code).toBe(1)
    const report = JSON.parse(json.stdout)
    expect(report).toMatchObject({ ok: false, exitCode: 1, error: { code: 'failed' } })
    expect(report.steps[0]).toMatchObject({ name: 'install', status: 'failed', command: 'npm install' })
  })
})

describe('exit code 0', () => {
  test('--json prints exactly one object, and its files are the files on disk', async () => {
    const cwd = newFolder()
    const { code, stdout } = await cli(['my-api', ...BASIC, ...QUICK, '--json'], { cwd })
    expect(code).toBe(0)
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({
      ok: true,
      exitCode: 0,
      directory: join(cwd, 'my-api'),
      answers: {
        name: 'my-api',
        mode: 'basic',
        profile: 'B',
        database: 'sqlite',
        addOns: ['pages'],
        packageManager: 'npm',
      },
    })
    expect([...filesBelow(join(cwd, 'my-api')).keys()].sort()).toEqual([...report.files].sort())
    expect(report.next).toEqual(['cd my-api', 'npm install', 'npm run dev'])
  })

  test('--yes uses the defaults: mode complete, profile B, SQLite', async () => {
    const { code, stdout } = await cli(['my-api', '--yes', '--dry-run', '--json'], { cwd: newFolder() })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).answers).toMatchObject({ mode: 'complete', profile: 'B', database: 'sqlite' })
  })

  test('--dry-run lists the same files and writes nothing', async () => {
    const cwd = newFolder()
    const dry = await cli(['my-api', ...BASIC, '--dry-run', '--json'], { cwd })
    expect(dry.code).toBe(0)
    expect(readdirSync(cwd)).toEqual([])
    const written = await createProject(cwd, ['my-api', ...BASIC, ...QUICK])
    expect(JSON.parse(dry.stdout).files).toEqual(written.files)
    const text = await cli(['other', ...BASIC, '--dry-run'], { cwd })
    for (const file of written.files) expect(text.stdout).toContain(`  ${file}\n`)
    expect(existsSync(join(cwd, 'other'))).toBe(false)
  })

  test('a folder with only .git, LICENSE, README.md and .gitignore is filled, and these files stay unchanged', async () => {
    const cwd = join(newFolder(), 'my-api')
    mkdirSync(join(cwd, '.git'), { recursive: true })
    const mine = new Map(
      ['.git/HEAD', '.gitignore', 'LICENSE', 'README.md'].map((file) => [file, `my ${file}`]),
    )
    for (const [file, text] of mine) writeFileSync(join(cwd, file), text)
    expect((await cli(['.', ...BASIC, '--no-install'], { cwd })).code).toBe(0)
    const files = filesBelow(cwd)
    for (const [file, text] of mine) expect(files.get(file)).toBe(text)
    expect(files.has('src/server.ts')).toBe(true)
    expect(JSON.parse(files.get('package.json') ?? '').name).toBe('my-api')
  })

  test('--from reads answers from a file, flags take precedence, --print-schema describes the file', async () => {
    const cwd = newFolder()
    writeFileSync(join(cwd, 'answers.json'), '{ "mode": "basic", "profile": "a", "packageManager": "pnpm" }')
    const report = await createProject(cwd, ['my-api', '--from', 'answers.json', '--profile', 'B', ...QUICK])
    expect(report.answers).toMatchObject({ mode: 'basic', profile: 'B', packageManager: 'pnpm' })
    const schema = await cli(['--print-schema'], { cwd })
    expect(schema.code).toBe(0)
    expect(Object.keys(JSON.parse(schema.stdout).properties)).toContain('profile')
  })

  test('the printed command creates the same project again', async () => {
    const report = await createProject(newFolder(), ['my-api', '--mode', 'none', ...QUICK])
    const [, again = ''] = /^create-authsmith (.*)$/.exec(report.reproduce) ?? []
    const cwd = newFolder()
    const args = again.split(' ').filter((word) => word !== '--')
    expect((await createProject(cwd, args)).files).toEqual(report.files)
    const secretless = (folder: string) => [...filesBelow(folder)].filter(([file]) => file !== '.env')
    expect(secretless(join(cwd, 'my-api'))).toEqual(secretless(report.directory))
  })

  test.each([
    ['npm/11.0.0 node/v20.19.0 linux x64', 'npm', 'npm run'],
    ['pnpm/10.0.0 npm/? node/v20.19.0 linux x64', 'pnpm', 'pnpm run'],
    ['yarn/4.9.0 npm/? node/v20.19.0 linux x64', 'yarn', 'yarn run'],
    ['bun/1.3.0 npm/? node/v24.3.0 linux x64', 'bun', 'bun run'],
  ])(
    'a call through %s writes the same service with the commands of %s',
    async (agent, packageManager, runs) => {
      const cwd = newFolder()
      const { stdout } = await cli(['my-api', ...BASIC, ...QUICK, '--json'], {
        cwd,
        env: { npm_config_user_agent: agent },
      })
      const report = JSON.parse(stdout)
      expect(report.answers.packageManager).toBe(packageManager)
      expect(report.next.at(-1)).toBe(`${runs} dev`)
      const files = filesBelow(join(cwd, 'my-api'))
      expect(files.get('README.md')).toContain(`\n${runs} dev\n`)

      const npm = await createProject(newFolder(), ['my-api', ...BASIC, ...QUICK, '--package-manager', 'npm'])
      const service = (all: Map<string, string>) =>
        [...all].filter(([file]) => /^(src|test|migrations)\/|^tsconfig|^\.env\.example$/.test(file))
      expect(service(files)).toEqual(service(filesBelow(npm.directory)))
    },
  )

  test('needs no network and no shell: a hostile name of the parent folder is harmless', async (context) => {
    const parent = join(newFolder(), 'a b;touch pwned $(touch pwned) `touch pwned` \'c\' "d" &')
    mkdirSync(parent)
    const alone = (args: string[]) =>
      run('unshare', ['-rn', ...args], { cwd: parent, env: { GIT_CONFIG_GLOBAL: inject('gitConfig') } })
    const permitted = await alone(['true']).catch(() => ({ code: 1 }))
    if (permitted.code !== 0) context.skip('unshare -rn (a separate network namespace) is not permitted here')
    const { stdout } = await alone([inject('bin'), 'my-api', ...BASIC, '--no-install', '--json'])
    expect(JSON.parse(stdout).steps.at(-1)).toMatchObject({ name: 'git', status: 'done' })
    expect(readdirSync(parent)).toEqual(['my-api'])
    expect([...filesBelow(parent).keys()].filter((file) => file.includes('pwned'))).toEqual([])
  })
})

// names.test.ts has many more, without a process.
test.each([
  '',
  '..',
  '-my-api-',
  'a'.repeat(5000),
  'my\napi',
  '\u001b]0;title\u0007',
  'my-api\u202egnp',
  '$(touch pwned)',
  '*',
])('the name %j is refused and escaped in the output, and nothing is written', async (name) => {
  const cwd = newFolder()
  const { code, stdout, stderr } = await cli(['--mode', 'none', ...QUICK, '--', name], { cwd })
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^create-authsmith: [^\n]{1,400}\n$/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not reach the terminal.
  expect(stderr.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202e]/)
  expect(readdirSync(cwd)).toEqual([])
})

test('a name with a NUL byte in an answers file is refused', async () => {
  const cwd = newFolder()
  writeFileSync(join(cwd, 'answers.json'), JSON.stringify({ name: 'my\u0000api', mode: 'none' }))
  const { code, stderr } = await cli(['--from', 'answers.json', ...QUICK], { cwd })
  expect(code).toBe(2)
  expect(stderr).not.toContain('\u0000')
  expect(readdirSync(cwd)).toEqual(['answers.json'])
})
