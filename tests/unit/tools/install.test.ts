import nodeFs, { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Run, type RunOptions, run as runProgram } from '../../../src/system/run.ts'
import type { System } from '../../../src/system/system.ts'
import { install as installPackages } from '../../../src/tools/install.ts'
import type { RunInProject } from '../../../src/tools/tool-run.ts'
import { memoryFs, runCommand } from '../../support/fixtures.ts'

const BUILD = '/work/my-api/node_modules/better-sqlite3/build'

/** Creates a project in memory. While its install runs, `during` looks at the progress. */
async function create(during: (progress: () => string, files: (path: string) => void) => void, env = {}) {
  const { fs } = memoryFs()
  let text = () => ''
  const environments: RunOptions['env'][] = []
  const outcome = await runCommand(['my-api', '--yes', '--no-git'], {
    fs,
    env,
    progress: (current) => {
      text = current
      return () => {}
    },
    run: async (_program, _args, options) => {
      environments.push(options.env)
      during(text, (path) => {
        fs.mkdirSync(`${BUILD}/Release`, { recursive: true })
        fs.writeFileSync(`${BUILD}/${path}`, '')
      })
      return { ok: true, output: '' }
    },
  })
  expect(outcome.exitCode).toBe(0)
  return environments
}

describe('install', () => {
  it('says what runs, and what is compiled and why', async () => {
    const texts: string[] = []
    await create((progress, write) => {
      texts.push(progress())
      write('config.gypi')
      texts.push(progress())
      write('Release/better_sqlite3.node')
      texts.push(progress())
    })
    expect(texts).toEqual([
      'Running npm install',
      'Running npm install: compiling better-sqlite3, because no prebuilt file for Node.js 24.4.0 could be downloaded',
      'Running npm install',
    ])
  })

  it('compiles on all cores, unless JOBS is set', async () => {
    expect(await create(() => {})).toEqual([{ JOBS: 'max' }])
    expect(await create(() => {}, { JOBS: '1' })).toEqual([{ JOBS: '1' }])
  })

  it.each([
    ['npm', ['--include=dev', '--package-lock', '--save']],
    ['pnpm', ['--prod=false', '--lockfile', '--no-frozen-lockfile']],
    ['yarn', ['--no-immutable']],
    ['bun', ['--save-text-lockfile']],
  ])(
    'brings the development dependencies and a lock file with %s, whatever the configuration says',
    async (name, flags) => {
      const ran: unknown[] = []
      await runCommand(['my-api', '--yes', '--no-git', '--package-manager', name], {
        env: { NODE_ENV: 'production' },
        run: async (program, args, { env }) => {
          ran.push([program, args, env && 'NODE_ENV' in env && env.NODE_ENV === undefined])
          return { ok: true, output: '' }
        },
      })
      expect(ran).toEqual([[name, ['install', ...flags], true]])
    },
  )

  /** Creates a project whose package manager succeeds, but installs only these packages, into this folder. */
  async function createWith(packages: readonly string[], folder = '/work/my-api') {
    const { fs } = memoryFs({
      '/blueprints/core/sqlite/package.json':
        '{"dependencies":{"better-sqlite3":"12"},"devDependencies":{"tsx":"4","vitest":"4"}}',
    })
    const run: Run = async () => {
      for (const path of packages) fs.mkdirSync(`${folder}/node_modules/${path}`, { recursive: true })
      if (packages.includes('better-sqlite3'))
        fs.writeFileSync(`${folder}/node_modules/better-sqlite3/binding.gyp`, '')
      return { ok: true, output: '' }
    }
    return runCommand(['my-api', '--yes', '--no-git'], { fs, run })
  }
  const BUILT = ['better-sqlite3', 'better-sqlite3/build/Release']

  it.each([
    ['/work/my-api', 'node_modules/better-sqlite3'],
    ['/work', '../node_modules/better-sqlite3'],
  ])('has not succeeded if scripts of packages are off: %s', async (folder, path) => {
    const { exitCode, stdout, stderr } = await createWith(
      ['zod', 'jose', 'tsx', 'vitest', 'better-sqlite3'],
      folder,
    )
    expect(exitCode).toBe(1)
    expect(stderr).toContain('better-sqlite3 is not built, because ignore-scripts is set\n')
    expect(stderr).toContain(`run: cd my-api && npm --prefix ${path} run install\n`)
    expect(stdout).toContain(`Next:\n  cd my-api\n  npm --prefix ${path} run install\n  npm run dev\n`)
  })

  it.each([
    ['/work/my-api', BUILT],
    ['/work', BUILT],
    ['/work', ['better-sqlite3', 'better-sqlite3/prebuilds']],
  ])('has succeeded if all packages are there, also above the project: %s %s', async (folder, driver) => {
    const { exitCode, stdout } = await createWith(['zod', 'jose', 'tsx', 'vitest', ...driver], folder)
    expect(exitCode).toBe(0)
    expect(stdout).toContain('install: done')
  })

  it.each([
    ['COPY package.json package-lock.json ./', 1],
    ['COPY . .', 0],
  ])(
    'has not succeeded without the lock file that the Dockerfile needs: %s',
    async (dockerfile, exitCode) => {
      const { fs } = memoryFs({ '/blueprints/core/all/Dockerfile': `${dockerfile}\n` })
      const outcome = await runCommand(['my-api', '--yes', '--no-git'], { fs })
      expect(outcome.exitCode).toBe(exitCode)
      const says =
        /^ {2}npm wrote no package-lock\.json, .*\n.* To repeat it, run: cd my-api && npm install$/m
      expect(says.test(outcome.stderr)).toBe(exitCode === 1)
      const run: Run = async () => {
        fs.writeFileSync('/work/other/package-lock.json', '{}')
        return { ok: true, output: '' }
      }
      expect((await runCommand(['other', '--yes', '--no-git'], { fs, run })).exitCode).toBe(0)
    },
  )

  // The other package managers are not installed where this runs: CI's cells of tests/platforms have them.
  it('writes a lock file with a real npm that is told not to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'authsmith-lock-'))
    writeFileSync(join(folder, 'package.json'), '{"name":"my-api"}')
    writeFileSync(join(folder, 'npmrc'), 'package-lock=false\nsave=false\n')
    const signal = new AbortController().signal
    const system = { fs: nodeFs, env: {}, progress: () => () => {} } as unknown as System
    const inProject: RunInProject = (program, args, env) =>
      runProgram(program, args, {
        ...{ cwd: folder, signal },
        env: { ...env, npm_config_userconfig: join(folder, 'npmrc') },
      })
    expect(await installPackages(system, inProject, folder, 'npm')).toEqual({
      name: 'install',
      status: 'done',
    })
    expect(existsSync(join(folder, 'package-lock.json'))).toBe(true)
    rmSync(folder, { recursive: true })
  })

  it('comes after the list of files that were written', async () => {
    let printed = ''
    let before = ''
    const { fs } = memoryFs()
    await runCommand(['my-api', '--yes', '--no-git'], {
      fs,
      print: (text) => {
        printed += text
      },
      run: async () => {
        before = printed
        return { ok: true, output: '' }
      },
    })
    expect(before).toMatch(/^Wrote \d+ files to/)
    expect(printed.slice(before.length)).toMatch(/^ {2}install: done\n[\s\S]*Next:/)
  })
})
