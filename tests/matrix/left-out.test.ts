// Covers src/update/left-out.ts and a creation below an ignored folder, in real git repositories.
import { execFileSync } from 'node:child_process'
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { run as runProgram } from '../../src/system/run.ts'
import { runCommand } from '../support/fixtures.ts'
import { ADVISORIES } from '../support/older-version.ts'
import { olderFiles, stateNamed } from './project.ts'

let folder: string
let parent: string
let project: string

/** Git without the configuration of this machine, but with a global ignore file and an identity. */
const isolated = () => ({
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
  HOME: folder,
})
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe', env: { ...process.env, ...isolated() } })

/** Runs the generator. Only git is a real program: package managers succeed and do nothing. */
const create = (argv: readonly string[], cwd = project, blueprints = resolve('blueprints')) =>
  runCommand(argv, {
    fs: nodeFs,
    blueprints,
    temporary: folder,
    cwd,
    run: async (program, args, options) =>
      program === 'git'
        ? runProgram(program, args, { ...options, env: { ...isolated(), ...options.env } })
        : { ok: true, output: '' },
  })

const notesIn = (stdout: string) =>
  stdout.split('\n').filter((line) => /\bgit (ignores|does not|repository)/.test(line))

async function switched(...flags: string[]) {
  const { exitCode, stdout } = await create(['regenerate', '--no-install', '-y', ...flags])
  expect(exitCode).toBe(0)
  return notesIn(stdout)
}

const write = (path: string, text: string) => nodeFs.writeFileSync(join(project, path), text)
const commitAll = (cwd = project) => {
  git(cwd, 'add', '--all')
  git(cwd, 'commit', '--quiet', '--message', 'mine')
}

beforeAll(() => {
  folder = nodeFs.mkdtempSync(join(tmpdir(), 'authsmith-left-out-'))
})
afterAll(() => nodeFs.rmSync(folder, { recursive: true, force: true }))
beforeEach(async () => {
  nodeFs.writeFileSync(join(folder, 'gitconfig'), '[user]\nname = Ada\nemail = ada@example.com\n')
  parent = nodeFs.mkdtempSync(join(folder, 'project-'))
  const argv = ['my-api', '-m', 'basic', '-p', 'B', '--no-install']
  expect((await create(argv, parent)).exitCode).toBe(0)
  project = join(parent, 'my-api')
})

const TO_NONE = ['--mode', 'none']
const TO_POSTGRES = ['--database', 'postgres']
const MIGRATIONS =
  '  git ignores migrations/postgres/0000_init.sql: a commit and a deployment from git lack it. Change the rule that `git check-ignore --verbose migrations/postgres/0000_init.sql` names, or run `git add --force` with it'

describe('an update that writes what a commit leaves out', () => {
  it('says nothing if a commit contains all of it', async () => {
    expect(await switched(...TO_POSTGRES)).toEqual([])
    git(project, 'add', '--all')
    expect(git(project, 'status', '--porcelain')).toContain('migrations/postgres/0000_init.sql')
  })

  it.each([
    ['.gitignore', () => nodeFs.appendFileSync(join(project, '.gitignore'), '*.sql\n')],
    ['.git/info/exclude', () => write('.git/info/exclude', '*.sql\n')],
    [
      'the global ignore file',
      () => {
        nodeFs.writeFileSync(join(folder, 'ignored'), '*.sql\n')
        git(project, 'config', '--global', 'core.excludesFile', join(folder, 'ignored'))
      },
    ],
  ])('names files that %s ignores', async (_, ignore) => {
    ignore()
    if (git(project, 'status', '--porcelain') !== '') commitAll()
    expect(await switched(...TO_POSTGRES)).toEqual([MIGRATIONS])
  })

  it('names ignored records, without which a clone is no project', async () => {
    write('.git/info/exclude', '.authsmith/\n')
    git(project, 'rm', '-r', '--quiet', '--cached', '.authsmith')
    git(project, 'commit', '--quiet', '--message', 'mine')
    const [note] = await switched(...TO_NONE)
    expect(note).toMatch(/^ {2}git ignores \.authsmith\/base\.json, \.authsmith\/manifest\.json: /)
  })

  it('says nothing about records that a conflict leaves unwritten', async () => {
    git(project, 'rm', '--quiet', '.authsmith/base.json')
    git(project, 'commit', '--quiet', '--message', 'mine')
    const { exitCode, stdout } = await create(['regenerate', '--no-install', '-y', '--mode', 'complete'])
    expect(exitCode).toBe(4)
    expect(notesIn(stdout)).toEqual([])
  })

  it('names files in a submodule, whose repository needs a commit of its own', async () => {
    const other = join(parent, 'other')
    nodeFs.renameSync(join(project, 'migrations'), other)
    git(other, 'init', '--quiet')
    commitAll(other)
    commitAll()
    git(project, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'migrations')
    commitAll()
    const [note, ...more] = await switched(...TO_POSTGRES)
    expect(more).toEqual([])
    expect(note).toMatch(
      /^ {2}migrations is another git repository, to which the update wrote migrations\/postgres\/0000_init\.sql, /,
    )
    expect(note).toMatch(/: commit there first, then here$/)
  })

  it('names files at which git does not look for changes', async () => {
    git(project, 'update-index', '--assume-unchanged', 'src/environment.ts')
    git(project, 'update-index', '--skip-worktree', 'compose.yaml')
    write(
      'src/environment.ts',
      nodeFs.readFileSync(join(project, 'src/environment.ts'), 'utf8').concat('//\n'),
    )
    const [note, ...more] = await switched(...TO_POSTGRES)
    expect(more).toEqual([])
    expect(note).toMatch(
      /^ {2}git does not look for changes in .*: run `git update-index --no-assume-unchanged --no-skip-worktree` with/,
    )
  })
})

it('audit --fix names a fixed file that a commit would not contain', async () => {
  project = nodeFs.mkdtempSync(join(folder, 'old-'))
  for (const [path, text] of Object.entries(await olderFiles(stateNamed('none sqlite')))) {
    nodeFs.mkdirSync(join(project, path, '..'), { recursive: true })
    write(path, text)
  }
  git(project, 'init', '--quiet')
  commitAll()
  git(project, 'update-index', '--assume-unchanged', ...git(project, 'ls-files', 'src').trim().split('\n'))
  nodeFs.writeFileSync(join(folder, 'advisories.json'), JSON.stringify(ADVISORIES))
  const { stdout } = await create(['audit', '--fix'], project, folder)
  const [fixed = ''] = /(?<= {2}fixed {5}\S+ {2})\S+/.exec(stdout) ?? []
  expect(fixed).toMatch(/^src\//)
  const [note] = notesIn(stdout)
  expect(note).toContain(`  git does not look for changes in `)
  expect(note).toContain(fixed)
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
      stdout: expect.stringContaining('  git: skipped (already inside a git repository)\n'),
      hasOwn: false,
    })
  })
})
