// Creations and updates where git ignores what they write, in real git repositories.
import { execFileSync } from 'node:child_process'
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { run as runProgram } from '../../src/system/run.ts'
import { runCommand } from '../support/fixtures.ts'

let folder: string

/** Git without the configuration of this machine, but with a global ignore file and an identity. */
const isolated = () => ({
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
  HOME: folder,
})
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe', env: { ...process.env, ...isolated() } })

/** Runs the generator. Only git is a real program: package managers succeed and do what `install` does. */
const create = (argv: readonly string[], cwd: string, install = () => {}) =>
  runCommand(argv, {
    fs: nodeFs,
    blueprints: resolve('blueprints'),
    cwd,
    run: async (program, args, options) => {
      if (program === 'git')
        return runProgram(program, args, { ...options, env: { ...isolated(), ...options.env } })
      install()
      return { ok: true, output: '' }
    },
  })

beforeAll(() => {
  folder = nodeFs.mkdtempSync(join(tmpdir(), 'authsmith-left-out-'))
})
afterAll(() => nodeFs.rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  nodeFs.writeFileSync(join(folder, 'gitconfig'), '[user]\nname = Ada\nemail = ada@example.com\n')
})

describe('a new project inside another repository', () => {
  const outer = async (ignored: string) => {
    const home = nodeFs.mkdtempSync(join(folder, 'home-'))
    git(home, 'init', '--quiet')
    nodeFs.writeFileSync(join(home, '.gitignore'), ignored)
    const { exitCode, stdout } = await create(['my-api', '-m', 'none', '--no-install'], home)
    expect(exitCode).toBe(0)
    return { stdout, hasOwn: nodeFs.existsSync(join(home, 'my-api/.git')) }
  }

  it('has a repository of its own if that one ignores it, as that of a home folder does', async () => {
    expect(await outer('*\n')).toEqual({ stdout: expect.stringContaining('  git: done\n'), hasOwn: true })
  })

  it('has none if that one contains it', async () => {
    expect(await outer('node_modules\n')).toEqual({
      stdout: expect.stringContaining(
        '  git: skipped (already inside a git repository, of which GitHub reads workflows only at its root)\n',
      ),
      hasOwn: false,
    })
  })
})

/** Files that the user's own configuration of git, or a repository above, keeps out of every commit. */
const KEEPS_OUT = '*.sql\n.authsmith/\ndocs/\npackage-lock.json\n*.log\n'

describe('the first commit has every generated file', () => {
  it.each([
    ['core.excludesFile', '[core]\nexcludesFile = ../ignored\n', () => {}],
    ['init.templateDir', '[init]\ntemplateDir = ../template\n', () => {}],
    ['the .gitignore of a folder above', '', (home: string) => git(home, 'init', '--quiet')],
  ])('whatever is in %s', async (_, config, prepare) => {
    const home = nodeFs.mkdtempSync(join(folder, 'home-'))
    nodeFs.mkdirSync(join(home, 'template/info'), { recursive: true })
    for (const file of ['ignored', 'template/info/exclude', '.gitignore'])
      nodeFs.writeFileSync(join(home, file), `${KEEPS_OUT}my-api\n`)
    nodeFs.appendFileSync(join(folder, 'gitconfig'), config.replace('..', home))
    prepare(home)
    const install = () => {
      nodeFs.writeFileSync(join(home, 'my-api/package-lock.json'), '{}\n')
      nodeFs.writeFileSync(join(home, 'my-api/npm.log'), '')
      nodeFs.mkdirSync(join(home, 'my-api/node_modules'))
      nodeFs.writeFileSync(join(home, 'my-api/node_modules/left.sql'), '')
    }
    const { exitCode, stdout } = await create(['my-api', '-m', 'none', '--json'], home, install)
    const { files, ignored } = JSON.parse(stdout)
    expect({ exitCode, ignored }).toEqual({ exitCode: 0, ignored: [] })
    const committed = git(join(home, 'my-api'), 'ls-files').trim().split('\n')
    const wanted = [...files.filter((path: string) => path !== '.env'), 'package-lock.json']
    expect(committed.sort()).toEqual(wanted.sort())
  })
})

describe('files that git ignores are named', () => {
  const inside = async () => {
    const home = nodeFs.mkdtempSync(join(folder, 'home-'))
    git(home, 'init', '--quiet')
    nodeFs.writeFileSync(join(home, '.gitignore'), 'docs/\n*.lock\n*.md\n!README.md\n')
    nodeFs.writeFileSync(join(home, '.git/info/exclude'), '*.sql\n')
    return home
  }

  it('by a creation inside a repository', async () => {
    const home = await inside()
    const { stdout } = await create(['my-api', '-m', 'none', '--no-install', '--json'], home)
    const { files, ignored } = JSON.parse(stdout)
    const lost = files.filter((path: string) => /^docs\/|\.sql$|^(AGENTS|SECURITY)\.md$/.test(path))
    expect(ignored.map(({ path }: { path: string }) => path).sort()).toEqual(lost.sort())
    expect(ignored).toContainEqual({
      path: 'migrations/sqlite/0000_init.sql',
      source: expect.stringMatching(/\.git\/info\/exclude:1:\*\.sql$/),
    })
    const text = await create(['other', '-m', 'none', '--no-install'], home)
    expect(text.stderr).toMatch(
      /^ {2}ignored by git: migrations\/sqlite\/0000_init\.sql, because of \S+exclude:1:\*\.sql$/m,
    )
  })

  it('by an update, unless git ignores the whole project', async () => {
    const home = await inside()
    const project = join(home, 'my-api')
    await create(['my-api', '-m', 'basic', '-p', 'B', '--no-install'], home)
    const add = ['add', 'metrics', '--no-install', '--allow-dirty', '--json']
    const { exitCode, stdout } = await create(add, project)
    expect({ exitCode, ignored: JSON.parse(stdout).ignored }).toEqual({
      exitCode: 0,
      ignored: expect.arrayContaining([
        { path: 'docs/metrics.md', source: expect.stringContaining('docs/') },
      ]),
    })
    const { stderr: text } = await create(['remove', 'metrics', '--no-install', '--allow-dirty'], project)
    expect(text).toMatch(/^ {2}ignored by git: .*docs\/\w+\.md.*, because of \S+:1:docs\/$/m)
    nodeFs.writeFileSync(join(home, '.gitignore'), '*\n')
    expect(JSON.parse((await create(add, project)).stdout)).toMatchObject({ ok: true, ignored: [] })
  })
})
