import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { run, succeed } from '../support/command.ts'
import { createProject } from '../support/create-project.ts'
import { filesBelow, newFolder } from '../support/folder.ts'
import { type Registry, startRegistry } from './harness/registry.ts'

describe('npm create, through a registry', () => {
  let registry: Registry
  beforeAll(async () => {
    registry = await startRegistry(join(newFolder(), 'registry'))
    await succeed('npm', ['publish', inject('tarball')], {
      cwd: inject('scratch'),
      env: { npm_config_userconfig: registry.npmrc },
    })
    return () => registry.stop()
  })

  /** The environment of a user who has only npm: an empty home and cache, and the registry from the environment. */
  function stranger() {
    const home = newFolder()
    const work = join(home, 'work')
    mkdirSync(work)
    const env = {
      HOME: home,
      npm_config_registry: registry.url,
      npm_config_cache: join(home, 'cache'),
      npm_config_userconfig: join(home, '.npmrc'),
    }
    return { work, env }
  }

  test.each([
    ['npm create authsmith my-api', ['create', 'authsmith'], /^(\n?> [^\n]*\n)*\n?(?=\{)/],
    // Without --silent, npm first prints the command line to stdout.
    ['npm create --silent authsmith@latest my-api', ['create', '--silent', 'authsmith@latest'], /^(?=\{)/],
  ])('%s writes the project', async (_command, create, banner) => {
    const { work, env } = stranger()
    const flags = ['--mode', 'basic', '--profile', 'A', '--yes', '--no-install', '--json']
    const { stdout } = await succeed('npm', [...create, 'my-api', '--', ...flags], { cwd: work, env })
    expect(stdout).toMatch(banner)
    const report = JSON.parse(stdout.replace(banner, ''))
    expect(report).toMatchObject({
      ok: true,
      directory: join(work, 'my-api'),
      answers: { mode: 'basic', profile: 'A' },
    })
    expect(readdirSync(work)).toEqual(['my-api'])

    const args = ['my-api', '--mode', 'basic', '--profile', 'A', '--no-install', '--no-git']
    const direct = await createProject(newFolder(), args)
    const secretless = (folder: string) =>
      [...filesBelow(folder)].filter(([file]) => file !== '.env' && !file.startsWith('.git/'))
    expect(secretless(report.directory)).toEqual(secretless(direct.directory))
  })

  test('npm passes the exit code on', async () => {
    const { work, env } = stranger()
    const { code, stderr } = await run('npm', ['create', 'authsmith', 'my-api'], { cwd: work, env })
    expect(code).toBe(2)
    expect(stderr).toContain('create-authsmith: Missing `--mode`')
  })
})
