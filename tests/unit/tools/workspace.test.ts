import { describe, expect, it } from 'vitest'
import { filesIn, memoryFs, runCommand } from '../../support/fixtures.ts'
import { SMALL } from '../../support/small-project.ts'

const FOR_ROOT = {
  '/blueprints/core/all/Dockerfile.ejs': 'COPY <%= cleanInstallFiles %> ./\n',
  '/blueprints/core/all/_dockerignore': '.git\n',
  '/blueprints/core/all/compose.yaml': 'services: {}\n',
  '/blueprints/core/all/_github/workflows/ci.yml': 'on: push\n',
  '/blueprints/core/npm/package.json': '{"overrides":{"cookie":"1"}}',
}
const LEFT_OUT = /^my-api\/(?:Dockerfile|\.dockerignore|compose\.yaml|\.github\/.*)$/

async function createIn(files: Record<string, string>, argv: string[] = []) {
  const memory = memoryFs({ ...FOR_ROOT, ...files }, SMALL)
  memory.fs.mkdirSync('/work/apps', { recursive: true })
  const outcome = await runCommand(
    ['my-api', '--mode', 'none', '--yes', '--no-install', '--no-git', ...argv],
    {
      fs: memory.fs,
      cwd: '/work/apps',
    },
  )
  expect(outcome.exitCode).toBe(0)
  const left = Object.keys(filesIn(memory, '/work/apps')).filter((path) => LEFT_OUT.test(path))
  return { ...outcome, memory, left }
}

const workspace = (patterns: unknown) => ({ '/work/package.json': JSON.stringify({ workspaces: patterns }) })

describe('a project that a workspace has as a member', () => {
  it.each([
    [['apps/*']],
    [['./apps/my-api/']],
    [['libs/*', 'apps/**']],
    [['**']],
    [['{apps,libs}/my-?pi']],
    [{ packages: ['apps/*'] }],
    [['!apps/my-api', 'apps/*']],
  ])('has no file that needs a lock file beside it, and its report says why: %j', async (patterns) => {
    for (const packageManager of ['npm', 'yarn', 'bun']) {
      const { stdout, left } = await createIn(workspace(patterns), ['--package-manager', packageManager])
      expect(left).toEqual([])
      expect(stdout).toContain(
        '  /work is a workspace with this project: its lock file is there. Dockerfile,',
      )
    }
  })

  it('is told which fields of package.json count only above', async () => {
    const { stdout } = await createIn(workspace(['apps/*']))
    expect(stdout).toContain('  npm reads overrides only from /work/package.json: copy them there')
  })

  it('gets none of them from an update, and keeps those that it has', async () => {
    const { memory, system } = await createIn(workspace(['apps/*']))
    const run = (...argv: string[]) => runCommand(argv, { ...system, cwd: '/work/apps/my-api' })
    const regenerate = ['regenerate', '--mode', 'basic', '--profile', 'B', '--no-install', '--yes']
    const update = await run(...regenerate)
    expect({ exitCode: update.exitCode, stderr: update.stderr }).toEqual({ exitCode: 0, stderr: '' })
    const paths = () => Object.keys(filesIn(memory, '/work/apps')).filter((path) => LEFT_OUT.test(path))
    expect(paths()).toEqual([])
    expect((await run('regenerate', '--check')).exitCode).toBe(0)
  })

  it('keeps what it has if it was moved there', async () => {
    const { memory, system, left } = await createIn({})
    expect(left).toHaveLength(4)
    memory.fs.writeFileSync('/work/package.json', '{"workspaces":["apps/*"]}')
    const cwd = '/work/apps/my-api'
    const { exitCode } = await runCommand(
      ['regenerate', '--mode', 'basic', '--profile', 'B', '--no-install', '--yes'],
      {
        ...system,
        cwd,
      },
    )
    expect(exitCode).toBe(0)
    const paths = Object.keys(filesIn(memory, '/work/apps')).filter((path) => LEFT_OUT.test(path))
    expect(paths).toEqual(left)
  })
})

describe('a project below a package.json that is not its workspace', () => {
  it.each([
    [workspace(['libs/*'])],
    [workspace(['apps/*', '!apps/my-api'])],
    [workspace(['apps'])],
    [workspace('apps/*')],
    [{ '/work/package.json': '{"name":"a"}' }],
    [{ '/work/package.json': '{' }],
    [{ '/work/package.json': '[]' }],
    [{}],
  ])('has all files: %j', async (files) => {
    const { stdout, left } = await createIn(files as Record<string, string>)
    expect(left).toHaveLength(4)
    expect(stdout).not.toContain('workspace')
  })
})

it('pnpm: a project with a pnpm-workspace.yaml of its own has all files, and says what that means', async () => {
  const { stdout, left } = await createIn({ '/work/pnpm-workspace.yaml': 'packages:\n  - apps/*\n' }, [
    '--package-manager',
    'pnpm',
  ])
  expect(left).toHaveLength(4)
  expect(stdout).toContain('  /work is a workspace, but this project has its own pnpm-workspace.yaml')
})
