// Covers src/tools/git.ts: a repository whose configuration names programs, and the commands that ask git about it.
import { execFileSync } from 'node:child_process'
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { run as runProgram } from '../../src/system/run.ts'
import { runCommand } from '../support/fixtures.ts'

let folder: string
let project: string
const ran = () => (nodeFs.existsSync(join(folder, 'ran')) ? nodeFs.readdirSync(join(folder, 'ran')) : [])

const environment = () => ({
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
  HOME: folder,
})
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, ...environment() },
  })

/** Runs the generator. Only git is a real program: package managers succeed and do nothing. */
const create = (argv: readonly string[], cwd = project) =>
  runCommand(argv, {
    fs: nodeFs,
    blueprints: resolve('blueprints'),
    cwd,
    run: async (program, args, options) =>
      program === 'git'
        ? runProgram(program, args, { ...options, env: { ...environment(), ...options.env } })
        : { ok: true, output: 'Your SQL migration file' },
  })

/** A command that leaves a file of this name and passes its input on. */
const evil = (name: string) => `touch '${join(folder, 'ran')}/${name}'; cat`

/** All that can name a program in a repository, with the drivers that the attributes of its files use. */
const CONFIGURED = [
  ...[
    'filter.evil.clean',
    'filter.evil.smudge',
    'filter.long.process',
    'filter.a=b.clean',
    'filter.set.clean',
  ],
  ...['diff.evil.command', 'diff.evil.textconv', 'diff.external', 'merge.evil.driver', 'core.fsmonitor'],
  ...[
    'core.sshCommand',
    'core.editor',
    'core.pager',
    'core.askPass',
    'core.gitProxy',
    'core.alternateRefsCommand',
  ],
  ...['gpg.program', 'gpg.ssh.program', 'credential.helper', 'sequence.editor', 'interactive.diffFilter'],
  ...['uploadpack.packObjectsHook', 'trailer.sign.command', 'remote.origin.uploadpack', 'pager.status'],
  ...['hook.evil.command', 'alias.status', 'alias.diff', 'submodule.sub.update'],
]
const HOOKS = ['post-index-change', 'pre-commit', 'post-checkout', 'post-commit', 'reference-transaction']

function makeHostile(repository: string) {
  const set = (key: string, value: string) => git(repository, 'config', key, value)
  for (const key of CONFIGURED) set(key, `${key.startsWith('alias') ? '!' : ''}${evil(key)}`)
  set('filter.evil.required', 'true')
  set('hook.evil.event', 'post-index-change')
  set('commit.gpgSign', 'true')
  set('protocol.ext.allow', 'always')
  set('url.ext::.insteadOf', 'https://')
  set('remote.origin.url', `https://sh -c "touch '${join(folder, 'ran')}/remote'"`)
  set('remote.origin.promisor', 'true')
  set('core.repositoryFormatVersion', '1')
  set('extensions.partialClone', 'origin')
  set('extensions.worktreeConfig', 'true')
  git(repository, 'config', '--worktree', 'filter.worktree.clean', evil('filter.worktree.clean'))
  nodeFs.writeFileSync(
    join(repository, '.git/included'),
    `[filter "included"]\n\tclean = "${evil('included')}"\n`,
  )
  set('include.path', 'included')
  const attributes = [
    '*.json filter=evil diff=evil merge=evil',
    '*.ts filter=long',
    '*.md filter=a=b',
    '*.sql filter=included',
    '.env.example filter=worktree',
  ]
  nodeFs.writeFileSync(join(repository, '.git/info/attributes'), `${attributes.join('\n')}\n`)
  for (const hook of HOOKS)
    nodeFs.writeFileSync(join(repository, '.git/hooks', hook), `#!/bin/sh\n${evil(hook)}`, { mode: 0o755 })
}

/** Makes git compare every file again. */
function touch() {
  const later = new Date(Date.now() + 60_000)
  for (const path of git(project, '-c', 'core.fsmonitor=false', 'ls-files').trim().split('\n'))
    if (nodeFs.statSync(join(project, path), { throwIfNoEntry: false })?.isFile())
      nodeFs.utimesSync(join(project, path), later, later)
}

beforeAll(() => {
  folder = nodeFs.realpathSync(nodeFs.mkdtempSync(join(tmpdir(), 'authsmith-hostile-')))
  nodeFs.writeFileSync(join(folder, 'gitconfig'), '[user]\nname = Ada\nemail = ada@example.com\n')
})
afterAll(() => nodeFs.rmSync(folder, { recursive: true, force: true }))

beforeEach(async () => {
  nodeFs.rmSync(join(folder, 'ran'), { recursive: true, force: true })
  project = join(nodeFs.mkdtempSync(join(folder, 'home-')), 'my-api')
  const { exitCode } = await create(
    ['my-api', '--mode', 'basic', '--profile', 'B', '--no-install'],
    resolve(project, '..'),
  )
  expect(exitCode).toBe(0)
  // A submodule has a configuration of its own.
  const sub = join(project, 'sub')
  nodeFs.mkdirSync(sub)
  git(sub, 'init', '--quiet')
  nodeFs.writeFileSync(join(sub, 'a.json'), '{}\n')
  git(sub, 'add', '--all')
  git(sub, 'commit', '--quiet', '--message', 'sub')
  git(project, 'add', 'sub')
  git(project, 'commit', '--quiet', '--message', 'sub')
  makeHostile(sub)
  makeHostile(project)
  nodeFs.mkdirSync(join(folder, 'ran'))
  touch()
})

describe('a hostile repository runs no program in', () => {
  it('plain git does', () => {
    git(project, 'status')
    expect(ran()).toEqual(expect.arrayContaining(['core.fsmonitor', 'filter.evil.clean', 'included']))
  })

  it.each([
    [['add', 'totp']],
    [['add', 'backup', '--dry-run']],
    [['remove', 'pages']],
    [['regenerate']],
    [['regenerate', '--mode', 'complete']],
    [['regenerate', '--check']],
    [['status']],
    [['audit']],
    [['audit', '--fix']],
    [['regenerate', '--continue']],
  ])('%j', async (argv) => {
    await create([...argv, ...(argv[0] === 'status' || argv[0] === 'audit' ? [] : ['--no-install'])])
    expect(ran()).toEqual([])
  })

  it('an update and --abort', async () => {
    const updated = await create(['regenerate', '--mode', 'complete', '--no-install'])
    expect(updated).toMatchObject({ exitCode: 0 })
    touch()
    expect(await create(['regenerate', '--abort', '--yes'])).toMatchObject({ exitCode: 0 })
    expect(ran()).toEqual([])
  })

  it('a partial clone without its last tree', async () => {
    const tree = git(project, 'rev-parse', 'HEAD^{tree}').trim()
    const loose = join(project, '.git/objects', tree.slice(0, 2), tree.slice(2))
    nodeFs.rmSync(loose, { force: true })
    await create(['add', 'totp', '--no-install'])
    expect(ran()).toEqual([])
  })

  it('a new project inside it', async () => {
    nodeFs.appendFileSync(join(project, '.gitignore'), 'inner\n')
    nodeFs.mkdirSync(join(project, 'inner'))
    const { stdout } = await create(['inner/my-api', '--mode', 'none', '--no-install'])
    expect(stdout).toContain('git: done')
    expect(ran()).toEqual([])
  })
})

it('filters of the user run, such as Git LFS', async () => {
  nodeFs.appendFileSync(join(folder, 'gitconfig'), `[filter "mine"]\n\tclean = "${evil('mine')}"\n`)
  nodeFs.writeFileSync(join(project, '.git/info/attributes'), '*.json filter=mine\n')
  await create(['add', 'backup', '--no-install'])
  expect(ran()).toEqual(['mine'])
})
