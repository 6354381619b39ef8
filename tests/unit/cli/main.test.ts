// Covers src/cli/create-command.ts, src/cli/output.ts, src/cli/resolve-answers.ts,
// src/create/create.ts, src/tools/install.ts, src/tools/tool-run.ts.
import { describe, expect, it } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import type { RunResult } from '../../../src/system/run.ts'
import { fakeRun, filesIn, memoryFs, runCommand } from '../../support/fixtures.ts'
import { jsonOf, ONE_LINE } from './outcomes.ts'

const BASIC = ['my-api', '--mode', 'basic', '--profile', 'B']

/** The JSON object of `--json`; fails unless it is all that stdout holds, and agrees with the exit code. */
async function expectUsageError(argv: readonly string[], part: string, overrides = {}) {
  const outcome = await runCommand(argv, overrides)
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' })
  expect(outcome.stderr).toMatch(ONE_LINE)
  expect(outcome.stderr).toContain(part)
  expect(outcome.stderr.length).toBeLessThan(500)
  expect(outcome.system.fs.readdirSync('/work')).toEqual([])
  const json = jsonOf(await runCommand(['--json', ...argv], overrides))
  expect(json).toEqual({ ok: false, exitCode: 2, error: { code: 'usage', message: expect.any(String) } })
}

describe('the command', () => {
  it('writes a project, installs it and commits', async () => {
    const memory = memoryFs()
    const { run, lines } = fakeRun()
    const { exitCode, stdout, stderr } = await runCommand(BASIC, { fs: memory.fs, run })
    expect(exitCode).toBe(0)
    expect(stderr).toBe('Running npm install\n')
    expect(stdout).toBe(
      [
        'Wrote 12 files to /work/my-api (basic, B, sqlite + pages)',
        '  ./             5',
        '  .authsmith/    3',
        '  migrations/    1',
        '  src/           3',
        '  install: done',
        '  git: done',
        '',
        'To create the same project again:',
        '  create-authsmith my-api --mode basic --profile B --database sqlite --add pages --package-manager npm',
        '',
        'Next:',
        '  cd my-api',
        '  npm run dev',
        '',
        'Then open:',
        '  http://localhost:3000       what to try first: create a demo user',
        '  http://localhost:3000/docs  every endpoint, and a form to call it',
        '',
      ].join('\n'),
    )
    expect(lines.map((line) => line.split(' -')[0])).toEqual([
      ...['npm install', 'git', 'git init', 'git check-ignore .env node_modules/', 'git'],
      ...['git ls-files', 'git add', 'git', 'git config'],
    ])
    expect(filesIn(memory, '/work')).toHaveProperty(['my-api/.env'])
  })

  it.each([
    ['npm', 'create-authsmith my-api --mode none', ['cd my-api', 'npm install', 'npm run dev']],
    ['pnpm', 'create-authsmith my-api --mode none', ['cd my-api', 'pnpm install', 'pnpm run dev']],
    ['yarn', 'create-authsmith my-api --mode none', ['cd my-api', 'yarn install', 'yarn run dev']],
    ['bun', 'create-authsmith my-api --mode none', ['cd my-api', 'bun install', 'bun run dev']],
  ])('prints commands of %s if it was called through it', async (packageManager, create, next) => {
    const env = { npm_config_user_agent: `${packageManager}/9.9.9 npm/? node/v20 linux x64` }
    const argv = ['my-api', '-m', 'none', '--no-install', '--no-git', '--json']
    const json = jsonOf(await runCommand(argv, { env }))
    expect(json.next).toEqual(next)
    expect(json.reproduce).toBe(
      `${create} --database sqlite --add none --package-manager ${packageManager} --no-install --no-git`,
    )
  })

  it('ends with what to type, what to open and what to try first', async () => {
    const end = async (...argv: string[]) => {
      const { stdout } = await runCommand(['my-api', ...argv, '--no-install', '--no-git'])
      return stdout.slice(stdout.indexOf('Next:')).split('\n')
    }
    expect(await end('--mode', 'none')).toEqual([
      ...['Next:', '  cd my-api', '  npm install', '  npm run dev', ''],
      'Then open:',
      '  http://localhost:3000       what to try first: add a note',
      '  http://localhost:3000/docs  every endpoint, and a form to call it',
      '',
    ])
    expect(await end('--mode', 'complete', '--profile', 'B', '--database', 'postgres')).toEqual([
      ...['Next:', '  cd my-api', '  npm install'],
      ...['  Create a PostgreSQL database: docs/database.md', '  npm run dev', ''],
      'Then open:',
      '  http://localhost:3000              what to try first: create a demo user',
      '  http://localhost:3000/docs         every endpoint, and a form to call it',
      '  http://localhost:3000/dev/mailbox  every email that the service would send',
      '',
    ])
  })

  it('creates the same project again with the command that it reports', async () => {
    const first = memoryFs()
    const json = jsonOf(await runCommand([...BASIC, '--json', '--no-git'], { fs: first.fs }))
    const argv = json.reproduce
      .replace('create-authsmith ', '')
      .split(' ')
      .filter((word: string) => word !== '--')
    const second = memoryFs()
    expect((await runCommand(argv, { fs: second.fs })).exitCode).toBe(0)
    const withoutSecrets = (memory: typeof first) => ({ ...filesIn(memory, '/work'), 'my-api/.env': '' })
    expect(withoutSecrets(second)).toEqual(withoutSecrets(first))
  })

  it('runs nothing with --no-install and --no-git, and neither writes nor runs with --dry-run', async () => {
    const { run, lines } = fakeRun()
    await runCommand([...BASIC, '--no-install', '--no-git'], { run })
    const { stdout, system } = await runCommand([...BASIC, '--dry-run'], { run })
    expect(lines).toEqual([])
    expect(system.fs.readdirSync('/work')).toEqual([])
    expect(stdout).toMatch(/^Would write 12 files to \/work\/my-api .*\n {2}\.env\n {2}\.env\.example\n/)
    expect(jsonOf(await runCommand([...BASIC, '--dry-run', '--json']))).toMatchObject({
      dryRun: true,
      steps: [],
    })
  })

  it('writes into the current directory for ., and keeps the files in it', async () => {
    const memory = memoryFs({ '/work/README.md': 'mine', '/work/.git/HEAD': 'ref' })
    const { stdout, exitCode } = await runCommand(['.', '-m', 'none', '-y'], { fs: memory.fs })
    expect(exitCode).toBe(0)
    expect(filesIn(memory, '/work')).toMatchObject({
      'README.md': 'mine',
      '.git/HEAD': 'ref',
      'src/db.ts': expect.anything(),
    })
    expect(stdout).toContain('  kept your README.md instead of the generated one\n')
    expect(stdout).toContain('  git: skipped (already inside a git repository)\n')
    expect(stdout).toContain('Next:\n  npm run dev\n')
  })

  it('never prints a secret', async () => {
    const memory = memoryFs()
    const text = await runCommand(BASIC, { fs: memory.fs })
    const env = filesIn(memory, '/work/my-api')['.env'] ?? ''
    const secrets = [...env.matchAll(/_KEY=(.+)/g)].map((match) => match[1] ?? '')
    expect(secrets).toHaveLength(2)
    const { stdout } = await runCommand([...BASIC, '--json'], { fs: memoryFs().fs })
    for (const secret of secrets) expect(text.stdout + text.stderr + stdout).not.toContain(secret)
  })

  it('prints version and help, as text and as JSON', async () => {
    expect(await runCommand(['-v'])).toMatchObject({
      exitCode: 0,
      stdout: `${packageJson.version}\n`,
      stderr: '',
    })
    expect(jsonOf(await runCommand(['--version', '--json'])).version).toBe(packageJson.version)
    const { stdout } = await runCommand(['-h'])
    for (const flag of [
      '--mode',
      '--profile',
      '--database',
      '--package-manager',
      '--no-install',
      '--no-git',
      '--yes',
    ]) {
      expect(stdout).toContain(flag)
    }
    for (const flag of ['--from', '--print-schema', '--dry-run', '--json', '--version', '--help'])
      expect(stdout).toContain(flag)
    expect([...stdout.matchAll(/^ {2}(\d+) {2}/gm)].map((match) => match[1])).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
      '5',
      '130',
    ])
    expect(jsonOf(await runCommand(['--help', '--json'])).help).toContain('Exit codes')
  })
})

describe('wrong usage', () => {
  it.each([
    [['--mode'], 'argument missing'],
    [['--nope'], 'Unknown option `--nope`'],
    [['--moed', 'basic'], 'Did you mean --mode'],
    [['-z'], 'Unknown option `-z`'],
    [['a', 'b'], 'Too many arguments'],
    [['my-api', 'basic', 'B'], 'put `--` before the flags'],
    [['my-api', '--mode', ''], '`--mode` must be none, basic or complete, not ""'],
    [['my-api', '--mode', 'Basic'], 'not "Basic"'],
    [['my-api', '--mode', '--yes'], 'not "--yes"'],
    [['my-api', '--mode=none', '--mode=basic'], '`--mode` is given twice'],
    [['my-api', '-m', 'none', '--mode', 'none'], '`--mode` is given twice'],
    [['my-api', '-y', '-y'], '`--yes` is given twice'],
    [['my-api', '--no-git', '--no-git'], '`--no-git` is given twice'],
    [['my-api', '--from', 'a', '--from', 'b'], '`--from` is given twice'],
    [['my-api', '-m', 'basic', '-p', 'C'], '`--profile` must be A or B, not "C"'],
    [['my-api', '-m', 'none', '-p', 'A'], 'Mode none has no profile'],
    [['my-api', '-m', 'none', '-d', 'mysql'], '`--database` must be sqlite or postgres'],
    [
      ['my-api', '-m', 'none', '--package-manager', 'npx'],
      '`--package-manager` must be npm, pnpm, yarn or bun',
    ],
    [['--yes', '--mode', 'none'], 'directory'],
    [['my-api'], 'Missing `--mode` (no terminal to prompt in). Pass `--mode` with none, basic or complete.'],
    [
      ['my-api', '-m', 'basic'],
      'Missing `--profile` (no terminal to prompt in). Pass `--profile A` or `--profile B`.',
    ],
    [['--mode', 'none'], 'directory'],
    [['', '--mode', 'none'], 'must not be empty'],
    [['my-api', '--from', ''], '`--from` must name a JSON file'],
    [['my-api', '--mode', '\u001b]0;x\u0007\u202e\n'], '\\u{1b}]0;x\\u{7}\\u{202e}\\u{a}'],
    [['--\u001b[31m'], '\\u{1b}[31m'],
    [['my-api', '--mode', 'x'.repeat(100_000)], '`--mode` must be'],
    [['--', '--json', 'x'], 'Too many arguments'],
  ])('is refused in one line: %j', async (argv, part) => {
    await expectUsageError(argv as string[], part)
  })

  it('accepts a and b as profiles', async () => {
    for (const profile of ['a', 'A']) {
      const json = jsonOf(await runCommand(['my-api', '-m', 'basic', '-p', profile, '--json']))
      expect(json.answers).toMatchObject({ profile: 'A' })
    }
  })
})

describe('steps that fail', () => {
  const failing = (start: string, result: Partial<RunResult>) =>
    fakeRun((line) => (line.startsWith(start) ? result : undefined))

  it('leave the project, print the output of npm and how to repeat the step; the commit follows', async () => {
    const memory = memoryFs()
    const { run, lines } = failing('npm', {
      ok: false,
      output: 'npm error 404\n\u001b[31mnot found\u001b[0m\n',
    })
    const { exitCode, stderr, stdout } = await runCommand(BASIC, { fs: memory.fs, run })
    expect(exitCode).toBe(1)
    expect(stderr).toBe(
      'Running npm install\n  npm error 404\n  \\u{1b}[31mnot found\\u{1b}[0m\ncreate-authsmith: The project was written, ' +
        'but install failed. To repeat it, run: cd my-api && npm install\n',
    )
    expect(stdout).toContain('Next:\n  cd my-api\n  npm install\n  npm run dev\n')
    expect(stdout).toContain('git: done')
    expect(lines.at(-1)).toContain('commit')
    expect(filesIn(memory, '/work/my-api')).toHaveProperty(['package.json'])
  })

  it('names each failed step in JSON', async () => {
    const { run } = fakeRun((line) => (/install|commit/.test(line) ? { ok: false, output: 'no' } : undefined))
    const json = jsonOf(await runCommand([...BASIC, '--json'], { run }))
    expect(json).toMatchObject({ ok: false, exitCode: 1, error: { code: 'failed' } })
    expect(json.steps).toEqual([
      { name: 'install', status: 'failed', detail: 'no', command: 'npm install' },
      { name: 'git', status: 'failed', detail: 'no', command: expect.stringContaining('git commit') },
    ])
    expect(json.error.message).toContain('cd my-api && git init')
  })

  it('keeps the end of a long output only', async () => {
    const output = [...Array(1000).keys()].map((line) => `line ${line}`).join('\n')
    const { run } = failing('npm', { ok: false, output })
    const { stderr } = await runCommand(BASIC, { run })
    expect(stderr).toContain('line 999')
    expect(stderr.split('\n').length).toBeLessThan(20)
  })

  it('does not commit without an identity, inside a repository, or if .env would be included', async () => {
    const detail = async (overrides: Parameters<typeof runCommand>[1]) => {
      const json = jsonOf(await runCommand([...BASIC, '--json', '--no-install'], overrides))
      expect(json.exitCode).toBe(0)
      return json.steps[1]
    }
    const noIdentity = failing('git -c user.useConfigOnly', { ok: false })
    expect(await detail({ run: noIdentity.run })).toMatchObject({
      status: 'skipped',
      detail: expect.stringContaining('user.email'),
    })
    expect(noIdentity.lines).toHaveLength(1)

    // The repository does not ignore the project.
    const inside = failing('git --no-optional-locks', { ok: false })
    const repository = memoryFs({ '/.git': 'gitdir: elsewhere' })
    expect(await detail({ run: inside.run, fs: repository.fs })).toMatchObject({ status: 'skipped' })
    expect(inside.lines.filter((line) => !/ (check-ignore|config) --/.test(line))).toEqual([])

    const unsafe = failing('git check-ignore', { output: 'node_modules/\n' })
    const own = memoryFs({ '/work/my-api/.gitignore': 'node_modules/\n' })
    expect(await detail({ run: unsafe.run, fs: own.fs })).toEqual({
      name: 'git',
      status: 'skipped',
      detail: 'no commit: .gitignore does not list .env',
    })
    expect(unsafe.lines.join()).not.toContain('add')
  })

  it('keeps git away from the repository of a hook that runs it', async () => {
    const environments: unknown[] = []
    const env = {
      GIT_DIR: '/other/.git',
      GIT_INDEX_FILE: '/other/.git/index',
      GIT_AUTHOR_NAME: 'me',
      PATH: '/bin',
    }
    const { run } = fakeRun()
    await runCommand(BASIC, {
      env,
      run: (command, args, options) => {
        if (command === 'git') environments.push(options.env)
        return run(command, args, options)
      },
    })
    expect(environments.length).toBeGreaterThan(3)
    for (const environment of environments)
      expect(environment).toEqual({ GIT_DIR: undefined, GIT_INDEX_FILE: undefined })
  })

  it('keeps the project when a signal comes during the installation', async () => {
    const memory = memoryFs()
    const interruption = new AbortController()
    const { run, lines } = fakeRun((line) => {
      if (line.startsWith('npm')) interruption.abort()
      return { ok: false }
    })
    const outcome = await runCommand(BASIC, { fs: memory.fs, run, signal: interruption.signal })
    expect(outcome.exitCode).toBe(130)
    expect(outcome.stderr).toContain('The project is complete and stays at /work/my-api')
    expect(lines).toEqual(['npm install --include=dev --package-lock --save'])
    expect(Object.keys(filesIn(memory, '/work/my-api'))).toHaveLength(13)
  })

  it('reports a bug of its own as unexpected: exit code 1, one line, one object', async () => {
    const { fs } = memoryFs({}, { '/blueprints/core/oops/a': '' })
    const outcome = await runCommand(BASIC, { fs })
    expect(outcome.exitCode).toBe(1)
    expect(outcome.stderr).toMatch(
      /^create-authsmith: Unexpected error: blueprints\/core\/oops: "oops" .*\n$/,
    )
    expect(jsonOf(await runCommand([...BASIC, '--json'], { fs })).error.code).toBe('failed')
  })
})
