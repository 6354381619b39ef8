// A creation below an ignored folder, in real git repositories.
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

/** Runs the generator. Only git is a real program: package managers succeed and do nothing. */
const create = (argv: readonly string[], cwd: string) =>
  runCommand(argv, {
    fs: nodeFs,
    blueprints: resolve('blueprints'),
    cwd,
    run: async (program, args, options) =>
      program === 'git'
        ? runProgram(program, args, { ...options, env: { ...isolated(), ...options.env } })
        : { ok: true, output: '' },
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
