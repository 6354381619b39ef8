// Two branches that were regenerated differently, merged with git.
import { execFileSync, spawnSync } from 'node:child_process'
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { filesBelow } from '../../src/system/file-system.ts'
import { run as runProgram } from '../../src/system/run.ts'
import { environment } from '../support/environment.ts'
import { runCommand } from '../support/fixtures.ts'

let folder: string
beforeAll(() => {
  folder = nodeFs.mkdtempSync(join(tmpdir(), 'authsmith-merge-'))
})
afterAll(() => nodeFs.rmSync(folder, { recursive: true, force: true }))

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', [...IDENTITY, ...args], { cwd, encoding: 'utf8', env: environment() })

/** Runs the generator. Only git is a real program. */
const create = (cwd: string, ...argv: string[]) =>
  runCommand([...argv, '--no-install'], {
    ...{ fs: nodeFs, blueprints: resolve('blueprints'), temporary: folder, cwd },
    run: async (program, args, options) =>
      program === 'git' ? runProgram(program, args, options) : { ok: true, output: '' },
  })
const commit = (cwd: string) => {
  git(cwd, 'add', '--all')
  git(cwd, 'commit', '--quiet', '--message', 'mine')
}
/** Every file of the project but those of git and the generator, the migrations and .env. */
const files = (cwd: string) =>
  Object.fromEntries(
    filesBelow(nodeFs, cwd)
      .filter((path) => !/^(?:\.git|\.authsmith|migrations)\/|^\.env$/.test(path))
      .map((path) => [path, nodeFs.readFileSync(join(cwd, path), 'utf8')]),
  )

it.each([
  [
    ['-d', 'postgres'],
    ['-p', 'A'],
  ],
  [
    ['-p', 'A'],
    ['-d', 'postgres'],
  ],
  [
    ['-m', 'complete'],
    ['--package-manager', 'pnpm'],
  ],
])(
  '%s and %s: keep the records of one side, and make the switch of the other again',
  async (ours, theirs) => {
    const parent = nodeFs.mkdtempSync(join(folder, 'project-'))
    expect((await create(parent, 'my-api', '-m', 'basic', '-p', 'B', '--no-git')).exitCode).toBe(0)
    const project = join(parent, 'my-api')
    git(project, 'init', '--quiet', '--initial-branch', 'main')
    commit(project)
    const other = join(parent, 'other')
    git(parent, 'clone', '--quiet', project, other)
    expect((await create(other, 'regenerate', ...theirs)).exitCode).toBe(0)
    nodeFs.writeFileSync(join(other, 'src/theirs.ts'), 'export const theirs = 1\n')
    commit(other)
    expect((await create(project, 'regenerate', ...ours)).exitCode).toBe(0)
    nodeFs.appendFileSync(join(project, 'src/settings/server.ts'), '\n// Ours.\n')
    commit(project)

    git(project, 'fetch', '--quiet', other, 'main')
    expect(spawnSync('git', [...IDENTITY, 'merge', 'FETCH_HEAD'], { cwd: project }).status).toBe(1)
    const keep = 'git restore --source=HEAD --staged --worktree -- .authsmith migrations'
    const { exitCode, stderr } = await create(project, 'regenerate', ...theirs, '--allow-dirty')
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: expect.stringMatching(/^create-authsmith: \.authsmith\/\w+\.json has conflict markers\..*\n$/),
    })
    expect(stderr).toContain(`\`${keep}\``)
    git(project, ...keep.split(' ').slice(1))
    for (const path of git(project, 'diff', '--name-only', '--diff-filter=U').split('\n').filter(Boolean)) {
      const { status } = spawnSync('git', ['checkout', '--ours', '--', path], { cwd: project })
      if (status !== 0) git(project, 'rm', '--quiet', '--', path)
    }
    const again = await create(project, 'regenerate', ...theirs, '--allow-dirty')
    expect({ exitCode: again.exitCode, stderr: again.stderr }).toEqual({ exitCode: 0, stderr: '' })

    const fresh = nodeFs.mkdtempSync(join(folder, 'fresh-'))
    await create(fresh, 'my-api', '-m', 'basic', '-p', 'B', '--no-git')
    await create(join(fresh, 'my-api'), 'regenerate', ...ours)
    await create(join(fresh, 'my-api'), 'regenerate', ...theirs)
    nodeFs.appendFileSync(join(fresh, 'my-api', 'src/settings/server.ts'), '\n// Ours.\n')
    nodeFs.writeFileSync(join(fresh, 'my-api', 'src/theirs.ts'), 'export const theirs = 1\n')
    expect(files(project)).toEqual(files(join(fresh, 'my-api')))
    expect((await create(project, 'regenerate', '--check')).exitCode).toBe(0)
  },
)
