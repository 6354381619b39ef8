// Covers src/tools/git.ts.
import { execFileSync } from 'node:child_process'
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../../../src/system/run.ts'
import type { System } from '../../../src/system/system.ts'
import { firstCommit } from '../../../src/tools/first-commit.ts'

let home: string
let project: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'authsmith-git-'))
  project = join(home, 'my-api')
  mkdirSync(join(project, 'src'), { recursive: true })
  writeFileSync(join(project, 'src/app.ts'), 'export {}\n')
  writeFileSync(join(project, '.env'), 'KEY=secret\n')
  writeFileSync(join(project, '.gitignore'), '.env\nnode_modules/\n')
})
afterEach(() => rmSync(home, { recursive: true }))

/** The step with a real git that reads no configuration but `config`. */
function commit(config: string, env: Record<string, string> = {}) {
  const configuration = join(home, 'gitconfig')
  writeFileSync(configuration, config)
  const isolated = { GIT_CONFIG_GLOBAL: configuration, GIT_CONFIG_SYSTEM: '/dev/null', HOME: home }
  const signal = new AbortController().signal
  const system = { fs, env: { ...env } } as unknown as System
  return firstCommit(
    system,
    (program, args, added) =>
      run(program, args, { cwd: project, signal, env: { ...isolated, ...env, ...added } }),
    project,
  )
}

const git = (...args: string[]) =>
  execFileSync('git', ['-C', project, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim()

const IDENTITY = '[user]\nname = Ada\nemail = ada@example.com\n'

describe('the first commit', () => {
  it('holds the project, not its secrets', async () => {
    expect(await commit(IDENTITY)).toEqual({ name: 'git', status: 'done' })
    expect(git('log', '--format=%an %s')).toBe('Ada Initial commit')
    expect(git('ls-files').split('\n')).toEqual(['.gitignore', 'src/app.ts'])
    expect(git('status', '--porcelain')).toBe('')
    expect(git('fsck', '--strict')).toBe('')
  })

  it('is not created without an identity, which is not guessed', async () => {
    expect(await commit('')).toMatchObject({ status: 'skipped' })
    expect(await commit('[user]\nname = Ada\n')).toMatchObject({ status: 'skipped' })
    expect(fs.existsSync(join(project, '.git'))).toBe(false)
  })

  it('uses an identity from the environment', async () => {
    const env = {
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'a@b.c',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'a@b.c',
    }
    expect(await commit('', env)).toMatchObject({ status: 'done' })
  })

  it('runs no hook and asks for no signature', async () => {
    const hooks = join(home, 'hooks')
    mkdirSync(hooks)
    writeFileSync(join(hooks, 'pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const config = `${IDENTITY}[core]\nhooksPath = ${hooks}\n[commit]\ngpgSign = true\n[gpg]\nprogram = /bin/false\n`
    expect(await commit(config)).toMatchObject({ status: 'done' })
  })

  it.each([
    [
      'gpgSign = true',
      /^not signed, although commit\.gpgsign is set: git commit --amend --no-edit --gpg-sign$/,
    ],
    ['gpgsign = yes', /^not signed/],
    ['gpgSign = false', undefined],
  ])('is not signed, and says so if commits are to be: %s', async (setting, detail) => {
    const step = await commit(`${IDENTITY}[commit]\n${setting}\n[gpg]\nprogram = /bin/false\n`)
    expect(step).toEqual({
      name: 'git',
      status: 'done',
      ...(detail && { detail: expect.stringMatching(detail) }),
    })
  })

  it('does not touch the repository that the environment points at', async () => {
    const other = join(home, 'other')
    execFileSync('git', ['init', '--quiet', other])
    const env = {
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, '.git/index'),
    }
    expect(await commit(IDENTITY, env)).toMatchObject({ status: 'done' })
    expect(git('ls-files')).toContain('src/app.ts')
    expect(fs.existsSync(join(other, '.git/index'))).toBe(false)
  })

  it('is not created if .gitignore does not list the secrets', async () => {
    writeFileSync(join(project, '.gitignore'), 'node_modules\n')
    expect(await commit(IDENTITY)).toEqual({
      name: 'git',
      status: 'skipped',
      detail: 'no commit: .gitignore does not list .env',
    })
    expect(() => git('rev-parse', 'HEAD')).toThrow()
  })

  it('fails with the command that repeats it', async () => {
    writeFileSync(join(project, '.gitattributes'), '*.ts filter=broken\n')
    const step = await commit(`${IDENTITY}[filter "broken"]\nclean = false\nrequired = true\n`)
    expect(step).toMatchObject({ status: 'failed', command: expect.stringContaining('git commit') })
  })
})
