// Covers src/cli/add-on-flags.ts, src/update/plan/add-on-notes.ts, src/update/owner/out-of-service.ts and
// src/update/owner/lost-imports.ts.
import { describe, expect, it } from 'vitest'
import { ADD_ON_NAMES, definitionOf } from '../../../src/answers/add-ons.ts'
import {
  fakeRun,
  filesIn,
  memoryFs,
  type Outcome,
  runCommand,
  scriptedPrompts,
} from '../../support/fixtures.ts'
import { SMALL } from '../../support/small-project.ts'

const LAYERS = {
  ...SMALL,
  '/blueprints/core/all/src/settings/server.ts': 'export const server = 1\n',
  '/blueprints/add-ons/metrics/all/src/settings/metrics.ts': 'export const metrics = 1\n',
  '/blueprints/add-ons/metrics/all/_env.example': '# Port of /metrics\nMETRICS_PORT=\n',
  '/blueprints/add-ons/metrics/all/docs/metrics.md': '# Metrics\n',
  '/blueprints/add-ons/metrics/all/src/exports/sessions.ts': 'export const sessions = 1\n',
  '/blueprints/add-ons/metrics/all/test/numbers.test.ts':
    "import { server } from '../src/settings/server.ts'\n",
  '/blueprints/add-ons/redis/auth/src/redis.ts': 'export const redis = 1\n',
  '/blueprints/add-ons/pages/all/pages/login.html': '<form></form>\n',
  '/blueprints/add-ons/metrics/with-pages/pages/numbers.html': '<p></p>\n',
}

/** A project, and commands in it. */
async function projectWith(...flags: string[]) {
  const memory = memoryFs({}, LAYERS)
  const created = await runCommand(['my-api', ...flags, '--no-install', '--no-git'], { fs: memory.fs })
  expect(created).toMatchObject({ exitCode: 0, stderr: '' })
  const run = (argv: readonly string[], overrides = {}) =>
    runCommand([...argv, '--no-install'], {
      fs: memory.fs,
      cwd: '/work/my-api',
      ...overrides,
    })
  const files = () =>
    Object.fromEntries(
      Object.entries(filesIn(memory, '/work/my-api')).filter(([path]) => !/^\.(authsmith|env$)/.test(path)),
    )
  return { memory, run, files, created }
}

const BASIC_B = ['--mode', 'basic', '--profile', 'B', '--yes']

const refusal = ({ exitCode, stdout, stderr }: Outcome) => {
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  return stderr
}

describe('at the creation', () => {
  it('are those of --add, with commas and repeated', async () => {
    const { created, files } = await projectWith(...BASIC_B, '--add', 'redis,metrics', '--add', 'redis')
    expect(created.stdout).toContain('(basic, B, sqlite + metrics, redis)')
    expect(created.stdout).toContain('--add metrics,redis ')
    expect(files()).toMatchObject({
      'src/redis.ts': expect.anything(),
      'src/settings/index.ts': expect.stringContaining(
        "export { metrics } from './metrics.ts'\nexport { server } from './server.ts'\n",
      ),
    })
  })

  it.each([
    [['--yes'], '(complete, B, sqlite + cookies, pages)'],
    [['--yes', '--add', 'none'], '(complete, B, sqlite)'],
    [['--yes', '--mode', 'none'], '(none, sqlite)'],
    [['--mode', 'basic', '--profile', 'A'], '(basic, A, sqlite + pages)'],
  ])('are the recommended ones by default: %j', async (flags, variant) => {
    expect((await projectWith(...flags)).created.stdout).toContain(variant)
  })

  it('replace those of an answers file', async () => {
    const memory = memoryFs({ '/work/a.json': '{"mode":"basic","profile":"B","addOns":["redis"]}' }, LAYERS)
    const argv = ['x', '--from', 'a.json', '--no-git', '--no-install', '--json']
    const addOnsOf = async (...more: string[]) =>
      JSON.parse((await runCommand([...argv, '--dry-run', ...more], { fs: memory.fs })).stdout).answers.addOns
    expect(await addOnsOf()).toEqual(['redis'])
    expect(await addOnsOf('--add', 'pages,metrics')).toEqual(['metrics', 'pages'])
    const { stdout } = await runCommand(['--print-schema'])
    expect(JSON.parse(stdout).properties.addOns.items.enum).toContain('metrics')
  })

  it.each([
    [['--add', 'metrcs'], 'Did you mean metrics?'],
    [['--add', 'common'], 'Did you mean common-passwords?'],
    [['--add', 'saml'], 'There are: account-data, admin, '],
    [['--add', ''], 'There is no add-on ""'],
    [['--add', 'none,metrics'], '`--add none` cannot be combined'],
    [['--add', 'admin', '--profile', 'A'], 'needs mode basic or complete with profile B, not mode complete'],
    [['--add', 'pages', '--mode', 'none'], 'needs mode basic or complete, not mode none'],
  ])('are refused: %j', async (flags, message) => {
    const outcome = await runCommand(['x', '--yes', ...flags], { fs: memoryFs({}, LAYERS).fs })
    expect(refusal(outcome)).toContain(message)
  })
})

describe('add and remove', () => {
  it('give what a new project has, and every byte back', async () => {
    const { run, files } = await projectWith(...BASIC_B, '--add', 'pages')
    const before = files()
    const { stdout, exitCode } = await run(['add', 'redis', 'metrics'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('is basic, B, sqlite + metrics, pages, redis now')
    expect(stdout).toMatch(
      /\nAdded metrics, redis\. Read docs\/metrics\.md, docs\/redis\.md\.\nNew settings: METRICS_PORT\.\n$/,
    )
    expect(files()).toEqual((await projectWith(...BASIC_B, '--add', 'pages,metrics,redis')).files())
    const removed = await run(['remove', 'metrics,redis', '--allow-dirty'])
    expect(removed.stdout).toContain('removed redis: each instance counts client addresses for itself')
    expect(removed.stdout).toContain('.env: no longer read: METRICS_PORT')
    expect(files()).toEqual(before)
  })

  it('name the files that they delete, or how many there are in a folder', async () => {
    const { memory, run } = await projectWith(...BASIC_B, '--add', 'none')
    for (let n = 10; n < 25; n += 1)
      memory.volume.writeFileSync(`/blueprints/add-ons/pages/all/pages/${n}.html`, '<p>')
    expect((await run(['add', 'metrics', 'pages'])).exitCode).toBe(0)
    const { stdout } = await run(['remove', 'metrics', 'pages', '--allow-dirty'])
    expect(stdout).toContain('\n    src/settings: metrics.ts\n')
    expect(stdout).toContain('\n    pages: 17 files\n')
  })

  it('name the settings that .env has from before apart from the new ones', async () => {
    const { memory, run } = await projectWith(...BASIC_B)
    await run(['add', 'metrics'])
    await run(['remove', 'metrics', '--allow-dirty'])
    memory.volume.appendFileSync(
      '/blueprints/add-ons/metrics/all/_env.example',
      '\n# Token of /metrics\nMETRICS_TOKEN=\n',
    )
    const { stdout } = await run(['add', 'metrics', '--allow-dirty'])
    expect(stdout).toMatch(/\nNew settings: METRICS_TOKEN\.\nRead again from \.env: METRICS_PORT\.\n$/)
  })

  it('name the files of the owner that nothing reads any more', async () => {
    const { memory, run } = await projectWith(...BASIC_B, '--add', 'pages,metrics')
    const own = [
      'pages/about.html',
      'pages/de/about.html',
      'src/exports/orders.ts',
      'src/settings/shop.ts',
      'test/a.ts',
    ]
    for (const path of [...own, 'pages/login.html']) {
      memory.volume.mkdirSync(`/work/my-api/${path}/..`, { recursive: true })
      memory.volume.writeFileSync(`/work/my-api/${path}`, 'mine')
    }
    const { stdout } = await run(['remove', 'pages', 'metrics', '--allow-dirty'])
    expect(stdout.match(/.*out of service.*/g)).toEqual([
      '  out of service, because nothing reads pages/ any more: pages/about.html, pages/de/about.html, pages/login.html',
      '  out of service, because nothing reads src/exports/ any more: src/exports/orders.ts',
    ])
  })

  it('name no file as out of service if the folder stays', async () => {
    const { memory, run } = await projectWith(...BASIC_B, '--add', 'pages,metrics')
    memory.volume.writeFileSync('/work/my-api/pages/about.html', 'mine')
    expect((await run(['remove', 'metrics', '--allow-dirty'])).stdout).not.toContain('out of service')
  })

  it('name a new file that imports what the owner deleted', async () => {
    const { memory, run } = await projectWith(...BASIC_B)
    memory.volume.rmSync('/work/my-api/src/settings/server.ts')
    const note = 'test/numbers.test.ts imports src/settings/server.ts, which you deleted: change the import'
    expect((await run(['add', 'metrics', '--dry-run'])).stdout).toContain(`  ${note}\n`)
    expect(JSON.parse((await run(['add', 'metrics', '--json'])).stdout).notes).toContain(note)
  })

  it('write a new file that imports what the owner moved from where it is', async () => {
    const { memory, run, files } = await projectWith(...BASIC_B)
    const folder = '/work/my-api/src/settings'
    memory.volume.renameSync(`${folder}/server.ts`, `${folder}/web-server.ts`)
    expect((await run(['add', 'metrics'])).stdout).not.toContain('change the import')
    expect(JSON.stringify(files())).toContain("from '../src/settings/web-server.ts'")
  })

  it('make no difference by their order', async () => {
    const [one, other] = [await projectWith(...BASIC_B), await projectWith(...BASIC_B)]
    await one.run(['add', 'metrics'])
    await one.run(['add', 'redis', '--allow-dirty'])
    await other.run(['regenerate', '--add', 'redis'])
    await other.run(['regenerate', '--add', 'metrics', '--allow-dirty'])
    expect(one.files()).toEqual(other.files())
  })

  it('do nothing about those that are there, and do the others', async () => {
    const { run } = await projectWith(...BASIC_B)
    const again = await run(['add', 'pages'])
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('nothing to do') })
    expect((await run(['remove', 'redis'])).stdout).toContain('nothing to do')
    const { stdout } = await run(['add', 'pages', 'metrics'])
    expect(stdout).toContain('Added metrics. ')
    expect(stdout).toContain('pages is there already: nothing to do')
  })

  it.each([
    [['add', 'pges'], 'Did you mean pages?'],
    [['remove', 'pges'], 'There is no add-on "pges". Did you mean pages?'],
    [['regenerate', '--add', 'metrics', '--remove', 'metrics'], 'metrics is both added and removed'],
    [['regenerate', '--mode', 'none', '--add', 'pages'], 'needs mode basic or complete'],
    [['regenerate', '--check', '--add', 'metrics'], 'cannot be used with'],
    [['add'], 'Missing the add-ons to add. Pass one of: account-data, admin, '],
    [['add', '--yes'], 'Missing the add-ons to add.'],
    [['remove'], 'Missing the add-ons to remove. Pass one of: pages.'],
  ])('refuse %j', async (argv, message) => {
    const { run, files } = await projectWith(...BASIC_B)
    const before = files()
    expect(refusal(await run(argv))).toContain(message)
    expect(files()).toEqual(before)
  })

  it('ask in a terminal, for those that the project can have or has', async () => {
    const { run } = await projectWith(...BASIC_B)
    const { asked, prompts } = scriptedPrompts([['metrics'], ['pages']])
    const overrides = { interactive: true, prompts: async () => prompts }
    expect((await run(['add'], overrides)).stdout).toContain('+ metrics, pages now')
    expect((await run(['remove', '--allow-dirty'], overrides)).stdout).toContain('+ metrics now')
    const choices = asked.map((question) => question.choices?.map(({ value }) => value))
    expect(choices[0]).not.toContain('pages')
    expect(choices[1]).toEqual(['metrics', 'pages'])
  })

  it('do not ask if the project has uncommitted changes', async () => {
    const { memory, run } = await projectWith(...BASIC_B)
    memory.volume.mkdirSync('/work/my-api/.git')
    const { asked, prompts } = scriptedPrompts([['metrics']])
    const dirty = fakeRun(() => ({ output: ' M README.md' })).run
    const overrides = { interactive: true, prompts: async () => prompts, run: dirty }
    const refused = await run(['add'], overrides)
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('uncommitted changes') })
    expect(asked).toEqual([])
    expect((await run(['add', '--allow-dirty'], overrides)).stdout).toContain('+ metrics, pages now')
  })

  it('say in JSON what they did', async () => {
    const { run } = await projectWith(...BASIC_B)
    const report = JSON.parse((await run(['add', 'metrics', '--dry-run', '--json'])).stdout)
    expect(report).toMatchObject({
      ok: true,
      from: { addOns: ['pages'] },
      to: { addOns: ['metrics', 'pages'] },
      addition: expect.stringContaining('docs/metrics.md'),
    })
    expect(report.files).toContainEqual({
      path: 'src/settings/metrics.ts',
      action: 'create',
      diff: expect.any(String),
    })
  })
})

describe('a switch', () => {
  it('takes out what the new mode or profile does not allow, and names it', async () => {
    const { run } = await projectWith(...BASIC_B, '--add', 'admin,metrics,pages')
    const { exitCode, stdout } = await run(['regenerate', '--mode', 'none'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('is none, sqlite + metrics now')
    expect(stdout).toContain('removed admin: only the command line lists')
    expect(stdout).toContain('removed pages: your front end has to serve')
  })

  it('takes out what users log in with only with --remove', async () => {
    const { run, files } = await projectWith('--mode', 'complete', '--yes', '--add', 'passkeys,totp')
    const before = files()
    const refused = refusal(await run(['regenerate', '--mode', 'basic']))
    expect(refused).toContain('Users log in with passkeys, totp: this needs mode complete.')
    expect(refused).toContain('pass `--remove passkeys,totp`')
    expect(files()).toEqual(before)
    const { run: withPages } = await projectWith(...BASIC_B)
    expect((await withPages(['regenerate', '--mode', 'none', '--remove', 'pages'])).exitCode).toBe(0)
  })

  it('knows by which add-ons users log in', () => {
    expect(ADD_ON_NAMES.filter((addOn) => definitionOf(addOn).isSignIn)).toEqual([
      'email-login',
      'oidc',
      'passkeys',
      'totp',
    ])
  })

  it('by a newer version names the add-ons that it brings and that the project can have', async () => {
    const { memory } = await projectWith('--mode', 'none', '--yes')
    const manifest = '/work/my-api/.authsmith/manifest.json'
    const text = String(memory.volume.readFileSync(manifest))
    memory.volume.writeFileSync(manifest, text.replace(/"generator": "[^"]*"/, '"generator": "0.2.9"'))
    const { stdout } = await runCommand(['status'], { fs: memory.fs, cwd: '/work/my-api' })
    expect(stdout).toContain('  new add-ons: backup, metrics\n')
  })

  it('goes with --add and --remove', async () => {
    const { run, files } = await projectWith('--mode', 'none', '--yes', '--add', 'metrics')
    const flags = [...BASIC_B, '--add', 'redis', '--remove', 'metrics']
    expect((await run(['regenerate', ...flags])).exitCode).toBe(0)
    const codeOf = (all: Record<string, string>) =>
      Object.fromEntries(Object.entries(all).filter(([path]) => !path.startsWith('migrations/')))
    expect(codeOf(files())).toEqual(codeOf((await projectWith(...BASIC_B, '--add', 'redis')).files()))
  })
})
