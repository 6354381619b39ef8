// Covers src/cli/regenerate-command.ts, src/cli/plan-report.ts, src/cli/update-report.ts, src/cli/diff.ts,
// src/tools/clean-tree.ts, src/migrations/switch.ts, src/update/plan/plan.ts,
// src/update/plan/plan-env.ts, src/update/plan/plan-migrations.ts.
import { describe, expect, it } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { fakeRun, filesIn, type Outcome, runCommand, scriptedPrompts } from '../../support/fixtures.ts'
import { PROJECT, runSmall, type SmallMemory, smallProject } from '../../support/small-project.ts'
import { jsonOf, ONE_LINE } from './outcomes.ts'

const BASIC_B = ['--mode', 'basic', '--profile', 'B']

const regenerate = (memory: SmallMemory, argv: readonly string[], overrides = {}) =>
  runSmall(memory, ['regenerate', ...argv], overrides)

const files = (memory: SmallMemory) => filesIn(memory, PROJECT)

async function expectNothingDone(memory: SmallMemory, act: () => Promise<Outcome>): Promise<Outcome> {
  const before = memory.volume.toJSON('/work')
  const outcome = await act()
  expect(memory.volume.toJSON('/work')).toEqual(before)
  expect(memory.fs.readdirSync('/tmp')).toEqual([])
  return outcome
}

/** A newer generator: another text, a new file, and one less. */
function upgradeGenerator({ volume }: SmallMemory): void {
  volume.writeFileSync('/blueprints/core/sqlite/src/db.ts', "export const dialect = 'SQLite'\n")
  volume.writeFileSync('/blueprints/core/all/src/new.ts', 'export const fresh = 1\n')
  volume.rmSync('/blueprints/core/none/src/routes/notes.ts')
}

describe('regenerate', () => {
  it('switches the project from any of its folders, and says what it did', async () => {
    const memory = await smallProject()
    memory.volume.appendFileSync(`${PROJECT}/README.md`, '\nOurs.\n')
    memory.volume.writeFileSync(`${PROJECT}/src/routes/notes.ts`, 'export const notes = [1]\n')
    const { run, lines } = fakeRun()
    const outcome = await regenerate(memory, BASIC_B, { cwd: `${PROJECT}/src/routes`, run })
    expect(outcome).toMatchObject({ exitCode: 4 })
    expect(outcome.stdout).toContain('my-api becomes basic, B, sqlite\n')
    expect(outcome.stdout).toContain('CONFLICT: README.md\n')
    expect(lines).toEqual([])

    memory.volume.writeFileSync(`${PROJECT}/README.md`, '# my-api\n\nOurs.\n\n## Accounts\n')
    const { stdout, exitCode } = await regenerate(memory, ['--continue'], { cwd: `${PROJECT}/src`, run })
    expect({ stdout, exitCode }).toEqual({
      exitCode: 0,
      stdout: 'my-api is basic, B, sqlite now\n  install: done\n\nNext:\n  npm run check\n  npm run test\n',
    })
    expect(lines).toEqual(['npm install --include=dev --package-lock --save'])
    expect(JSON.parse(files(memory)['.authsmith/manifest.json'] ?? '')).toMatchObject({
      answers: { mode: 'basic', profile: 'B' },
      history: ['none', 'basic-b'],
      migrated: { sqlite: 2, postgres: 0 },
    })
  })

  it('says with --abort that a database may have run the migration of the switch', async () => {
    const memory = await smallProject()
    memory.volume.appendFileSync(`${PROJECT}/README.md`, '\nOurs.\n')
    expect((await regenerate(memory, BASIC_B)).exitCode).toBe(4)
    const { stdout, exitCode } = await regenerate(memory, ['--abort'])
    expect({ stdout, exitCode }).toEqual({
      exitCode: 0,
      stdout:
        'my-api is as it was before the update\n  migrations/sqlite/0001_basic-b.sql is removed. If the service or db:migrate ran since the update, the database has it: to undo that, restore a backup\n',
    })
  })

  it('writes nothing after Ctrl-C', async () => {
    const memory = await smallProject()
    const interruption = new AbortController()
    interruption.abort()
    const act = () => regenerate(memory, BASIC_B, { signal: interruption.signal })
    const outcome = await expectNothingDone(memory, act)
    expect(outcome).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Nothing was written') })
  })

  it('names what it merged, kept and left alone', async () => {
    const memory = await smallProject()
    memory.volume.writeFileSync(`${PROJECT}/src/routes/notes.ts`, 'export const notes = [1]\n')
    memory.volume.writeFileSync(`${PROJECT}/.gitignore`, `ours\n${files(memory)['.gitignore']}`)
    memory.volume.writeFileSync(`${PROJECT}/src/app.ts`, `// ours\n\n${files(memory)['src/app.ts']}`)
    memory.volume.rmSync(`${PROJECT}/.env.example`)
    memory.volume.writeFileSync(`${PROJECT}/package.json`, Buffer.from([0, 1]))
    const { stdout, exitCode } = await regenerate(memory, [...BASIC_B, '--no-install'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('edited by you, left alone: 1 file\n')
    expect(stdout).toContain('merged with your changes: src/app.ts\n')
    expect(stdout).toContain('deleted by you, stays deleted: .env.example\n')
    expect(stdout).toContain('no longer generated, yours now: src/routes/notes.ts\n')
    expect(stdout).toContain('kept as it is: package.json (binary)\n')
    expect(files(memory)['src/routes/notes.ts']).toBe('export const notes = [1]\n')
  })

  it('brings the project up to date with a newer generator', async () => {
    const memory = await smallProject()
    upgradeGenerator(memory)
    const check = await expectNothingDone(memory, () => regenerate(memory, ['--check']))
    expect(check).toMatchObject({ exitCode: 3, stderr: expect.stringMatching(ONE_LINE) })
    expect(check.stdout).toContain('  update    src/db.ts\n')
    expect(jsonOf(await regenerate(memory, ['--check', '--json']))).toMatchObject({
      check: true,
      error: { code: 'refused' },
      files: [
        { path: 'src/db.ts', action: 'update' },
        { path: 'src/new.ts', action: 'create' },
        { path: 'src/routes/notes.ts', action: 'delete' },
      ],
    })
    expect((await regenerate(memory, [])).exitCode).toBe(0)
    expect(files(memory)).toMatchObject({
      'src/db.ts': "export const dialect = 'SQLite'\n",
      'src/new.ts': expect.anything(),
    })
    expect(files(memory)).not.toHaveProperty(['src/routes/notes.ts'])
    expect((await regenerate(memory, ['--check'])).exitCode).toBe(0)
  })

  it('requires a profile when leaving mode none, and drops it when entering it', async () => {
    const memory = await smallProject()
    for (const flags of [
      ['--mode', 'basic'],
      ['--mode', 'basic', '--yes'],
    ]) {
      const outcome = await expectNothingDone(memory, () => regenerate(memory, flags))
      expect(outcome).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('Pass `--profile A` or `--profile B`'),
      })
    }
    await regenerate(memory, [...BASIC_B, '--no-install'])
    await regenerate(memory, ['--mode', 'none', '--no-install'])
    const { answers } = JSON.parse(files(memory)['.authsmith/manifest.json'] ?? '')
    expect(answers).toEqual({
      name: 'my-api',
      mode: 'none',
      database: 'sqlite',
      addOns: [],
      packageManager: 'npm',
    })
  })

  it.each([
    ['npm', 'create-authsmith regenerate'],
    ['pnpm', 'create-authsmith regenerate'],
    ['yarn', 'create-authsmith regenerate'],
    ['bun', 'create-authsmith regenerate'],
  ] as const)('has a script in package.json, of %s', (packageManager, script) => {
    const plan = planOf({ name: 'my-api', mode: 'none', database: 'sqlite', addOns: [], packageManager })
    const { scripts } = JSON.parse(renderOnce(plan).get('package.json') ?? '')
    expect(scripts.regenerate).toBe(script)
  })
})

describe('a dry run', () => {
  it('lists each file in a line, and the summary last', async () => {
    const memory = await smallProject()
    const { stdout } = await regenerate(memory, [...BASIC_B, '--dry-run'])
    const lines = stdout.split('\n')
    expect(lines).toContain('  update    src/app.ts  +1 -0')
    expect(lines).toContain('  delete    src/routes/notes.ts  +0 -1')
    expect(lines.slice(-3)).toEqual([
      'my-api (none, sqlite): would become basic, B, sqlite',
      expect.stringMatching(/^ {2}(\w+ \d+(, )?)+\. Nothing was changed\.$/),
      '',
    ])
    expect(stdout).not.toContain('@@')
  })

  it('with --diff shows each change, changes nothing, and prints no secret', async () => {
    const memory = await smallProject()
    memory.volume.appendFileSync(`${PROJECT}/.env`, 'OUR_SECRET=hunter2\n')
    const { run, lines } = fakeRun()
    const { stdout, exitCode } = await expectNothingDone(memory, () =>
      regenerate(memory, [...BASIC_B, '--diff'], { run }),
    )
    expect(exitCode).toBe(0)
    expect(lines).toEqual([])
    expect(stdout).toContain('my-api (none, sqlite): would become basic, B, sqlite\n')
    expect(stdout).toContain('  delete    src/routes/notes.ts  +0 -1\n')
    expect(stdout).toContain('--- a/src/app.ts\n+++ b/src/app.ts\n@@ ')
    expect(stdout).toContain('\n+export const accounts = true\n')
    expect(stdout).toContain(
      '--- a/src/routes/notes.ts\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-export const notes = []\n',
    )
    expect(stdout).toContain('--- /dev/null\n+++ b/src/passwords.ts\n')
    expect(stdout).toContain('+JWT_SECRET_KEY=…\n')
    expect(stdout).not.toMatch(/hunter2|_KEY=[\w-]{43}/)
    const json = jsonOf(await regenerate(memory, [...BASIC_B, '--dry-run', '--json']))
    expect(json).toMatchObject({ dryRun: true, from: { mode: 'none' }, to: { mode: 'basic' }, conflicts: [] })
    expect(JSON.stringify(json)).not.toMatch(/hunter2|_KEY=[\w-]{43}/)
    expect(json.files.find(({ path }: { path: string }) => path === 'src/app.ts').diff).toContain(
      '+export const accounts',
    )
  })

  it('needs no committed tree, and finds conflicts with exit code 0', async () => {
    const memory = await smallProject()
    memory.volume.mkdirSync(`${PROJECT}/.git`)
    memory.volume.writeFileSync(`${PROJECT}/src/passwords.ts`, 'mine\n')
    const { run, lines } = fakeRun(() => ({ output: ' M a\n' }))
    const outcome = await expectNothingDone(memory, () =>
      regenerate(memory, [...BASIC_B, '--dry-run', '--json'], { run }),
    )
    expect(jsonOf(outcome).conflicts).toEqual(['src/passwords.ts'])
    expect(lines).toEqual([])
  })

  it('shows escapes of a hostile file instead of obeying them', async () => {
    const memory = await smallProject()
    memory.volume.writeFileSync(`${PROJECT}/src/passwords.ts`, '\u001b[2J\u202e\n')
    const { stdout } = await regenerate(memory, [...BASIC_B, '--diff'])
    expect(stdout).toContain('\\u{1b}[2J\\u{202e}')
    for (const sign of ['\u001b', '\u202e']) expect(stdout).not.toContain(sign)
  })
})

describe('a tree with uncommitted changes', () => {
  const dirty = (output: string, result = {}) =>
    fakeRun((line) => (line.startsWith('git') ? { output, ...result } : undefined))
  const inGit = async () => {
    const memory = await smallProject()
    memory.volume.mkdirSync('/work/.git')
    return memory
  }

  it.each([
    [' M src/app.ts\n', '1 file has uncommitted changes (src/app.ts)'],
    ['?? notes.txt\n', '1 file has uncommitted changes (notes.txt)'],
    ['A  a\n M b\n?? c\n D d\n', '4 files have uncommitted changes (a, b, c, …)'],
  ])('is refused: %j', async (output, message) => {
    const memory = await inGit()
    const { run, lines } = dirty(output)
    const outcome = await expectNothingDone(memory, () =>
      regenerate(memory, BASIC_B, { run, cwd: `${PROJECT}/src` }),
    )
    expect(outcome).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringMatching(ONE_LINE) })
    expect(outcome.stderr).toContain(`${message}. Commit them, or pass \`--allow-dirty\`.`)
    expect(lines.at(-1)).toMatch(
      /^git --no-optional-locks .* status --porcelain --untracked-files=all .* -- \.$/,
    )
    expect(lines.length).toBe(2)
  })

  it.each<[string, readonly string[], ReturnType<typeof fakeRun>]>([
    ['with --allow-dirty', ['--allow-dirty'], dirty(' M a\n')],
    ['if it has no changes', [], dirty('')],
    ['if git only prints a warning', [], dirty('warning: could not open directory\n')],
    ['if git is not installed', [], dirty('git is not installed', { ok: false, missing: true })],
  ])('is accepted %s', async (_, flags, { run }) => {
    const memory = await inGit()
    expect((await regenerate(memory, [...BASIC_B, '--no-install', ...flags], { run })).exitCode).toBe(0)
  })

  it('is not checked without a repository', async () => {
    const memory = await smallProject()
    const { run, lines } = dirty(' M a\n')
    expect((await regenerate(memory, [...BASIC_B, '--no-install'], { run })).exitCode).toBe(0)
    expect(lines).toEqual([])
  })

  it('is assumed if git fails, and refused', async () => {
    const memory = await inGit()
    const { run } = dirty('fatal: detected dubious ownership\nmore', { ok: false })
    const outcome = await expectNothingDone(memory, () => regenerate(memory, BASIC_B, { run }))
    expect(outcome).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('(fatal: detected dubious ownership)'),
    })
  })
})

describe('questions', () => {
  it('are asked if no flag is given, with the current answers selected', async () => {
    const memory = await smallProject()
    await regenerate(memory, [...BASIC_B, '--no-install'])
    const { asked, prompts } = scriptedPrompts(['basic', 'B', 'sqlite', []])
    const { exitCode, stdout } = await regenerate(memory, ['--dry-run'], {
      interactive: true,
      prompts: async () => prompts,
    })
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('nothing to do'),
    })
    expect(asked.map(({ message, default: preset }) => [message, preset])).toEqual([
      ['Authentication', 'basic'],
      ['Profile', 'B'],
      ['Database', 'sqlite'],
      ['Add-ons', undefined],
    ])
  })

  it('may be answered with mode none, which has no profile', async () => {
    const memory = await smallProject()
    await regenerate(memory, [...BASIC_B, '--no-install'])
    const { prompts } = scriptedPrompts(['none', 'sqlite', []])
    const overrides = { interactive: true, prompts: async () => prompts }
    expect((await regenerate(memory, ['--no-install'], overrides)).exitCode).toBe(0)
    expect(JSON.parse(files(memory)['.authsmith/manifest.json'] ?? '').answers).not.toHaveProperty('profile')
  })

  it('are asked only for a missing profile if a flag is given', async () => {
    const memory = await smallProject()
    const { asked, prompts } = scriptedPrompts(['B'])
    const overrides = { interactive: true, prompts: async () => prompts }
    expect((await regenerate(memory, ['-m', 'basic', '--no-install'], overrides)).exitCode).toBe(0)
    expect(asked.map(({ message }) => message)).toEqual(['Profile'])
  })

  it.each([['--yes'], ['--json'], ['--check'], ['--continue'], ['--abort']])(
    'are not asked with %s',
    async (flag) => {
      const memory = await smallProject()
      const { exitCode, stderr } = await regenerate(memory, [flag, '--no-install'], { interactive: true })
      expect(stderr).not.toContain('prompted')
      expect([0, 3]).toContain(exitCode)
    },
  )
})

describe('wrong usage of regenerate and status', () => {
  it.each<[readonly string[], string]>([
    [['regenerate', '--nope'], 'Unknown option `--nope`'],
    [['regenerate', 'my-api'], "Too many arguments for 'regenerate'"],
    [['regenerate', '-m', 'none', '--mode', 'basic'], '`--mode` is given twice'],
    [['regenerate', '--mode', 'all'], '`--mode` must be none, basic or complete'],
    [['regenerate', '--mode', 'none', '--profile', 'A'], 'Mode none has no profile'],
    [['regenerate', '--profile', 'A'], 'Mode none has no profile'],
    [['regenerate', '--existing-users', 'all'], 'Allowed choices are unverified, verified'],
    [['regenerate', '--continue', '--abort'], 'Option `--continue` cannot be used with option `--abort`'],
    [['regenerate', '--check', '--dry-run'], 'Option `--dry-run` cannot be used with option `--check`'],
    [['regenerate', '--dry-run', '--continue'], 'Option `--dry-run` cannot be used with option `--continue`'],
    [['regenerate', '--diff', '--continue'], 'Option `--diff` cannot be used with option `--continue`'],
    [['regenerate', '--abort', '--dry-run'], 'Option `--dry-run` cannot be used with option `--abort`'],
    [['regenerate', '--abort', '--check'], 'Option `--check` cannot be used with option `--abort`'],
    [['regenerate', '--check', '--continue'], 'Option `--check` cannot be used with option `--continue`'],
    [
      ['regenerate', '--check', '--mode', 'basic'],
      '`--check` cannot be used with option `-m, --mode <mode>`',
    ],
    [['regenerate', '--continue', '-p', 'A'], '`--continue` cannot be used with option `-p, --profile'],
    [['regenerate', '--abort', '-d', 'sqlite'], '`--abort` cannot be used with option `-d, --database'],
    [
      ['regenerate', '--abort', '--package-manager', 'npm'],
      '`--abort` cannot be used with option `--package-',
    ],
    [['status', '--check'], 'Unknown option `--check`'],
    [['--yes', 'status'], '`status` is a command: put it before its flags'],
    [['--json', 'regenerate'], 'To create a project of that name, use `./regenerate`'],
  ])('is refused, and changes nothing: %j', async (argv, part) => {
    const memory = await smallProject()
    const outcome = await expectNothingDone(memory, () => runSmall(memory, argv))
    expect(outcome.exitCode).toBe(2)
    expect(outcome.stdout + outcome.stderr).toContain(part)
    if (outcome.stdout === '') expect(outcome.stderr).toMatch(ONE_LINE)
  })

  it.each([['regenerate'], ['status']])('outside a project, %s is refused', async (command) => {
    for (const cwd of ['/work', '/', '']) {
      const outcome = await runCommand([command], { cwd })
      expect(outcome).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringMatching(ONE_LINE) })
    }
    expect(jsonOf(await runCommand([command, '--json']))).toMatchObject({ error: { code: 'refused' } })
  })

  it('is avoided with the help, which lists every flag', async () => {
    const help = async (argv: readonly string[]) => (await runCommand([...argv, '--help'])).stdout
    for (const flag of [
      '--dry-run',
      '--check',
      '--continue',
      '--abort',
      '--allow-dirty',
      '--existing-users',
      '--no-install',
    ])
      expect(await help(['regenerate'])).toContain(flag)
    expect(await help(['status'])).toContain('--json')
    expect(await help([])).toContain('regenerate --mode complete')
    for (const command of ['regenerate', 'add', 'remove'])
      expect(await help([command])).toMatch(/^Add-ons:\n {2}account-data +users delete/m)
    expect(jsonOf(await runCommand(['regenerate', '--help', '--json'])).help).toContain('Exit codes')
  })
})
