import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { succeed } from '../../support/command.ts'
import { cli, createLinked } from '../../support/create-project.ts'
import { newFolder } from '../../support/folder.ts'
import { linkPackages } from '../../support/packages.ts'
import { query } from '../suites/living.ts'
import { runTests } from './run-tests.ts'

const env = { GIT_CONFIG_GLOBAL: inject('gitConfig'), NODE_ENV: 'development' }

/** Creates and migrates a project, commits it, and clones it as git for Windows does by default. @returns the clone */
async function cloneOnWindows(deleted: readonly string[] = []): Promise<string> {
  const args = ['my-api', '--mode', 'basic', '--profile', 'B', '--add', 'common-passwords']
  const { directory: cwd } = await createLinked(newFolder(), args)
  const npm = (...script: string[]) => succeed('npm', script, { cwd, env })
  await npm('run', 'db:migrate')
  for (const file of deleted) rmSync(join(cwd, file))
  await succeed('git', ['add', '--all'], { cwd, env })
  await succeed('git', ['commit', '--quiet', '--allow-empty', '--message', 'As it is cloned'], { cwd, env })
  const clone = join(dirname(cwd), 'clone')
  await succeed('git', ['clone', '--quiet', '-c', 'core.autocrlf=true', cwd, clone], { cwd, env })
  // What git does not have: the packages, and the settings and the database that a machine has from before.
  linkPackages(clone, inject('modules'))
  await succeed('cp', ['-r', join(cwd, '.env'), join(cwd, 'data'), clone], { cwd })
  return clone
}

test.each([
  ['LF, because of .gitattributes', []],
  ['CR LF, without it', ['.gitattributes']],
])('a default clone on Windows has %s, and works', async (_, deleted) => {
  const cwd = await cloneOnWindows(deleted)
  const hasCrLf = deleted.length > 0
  expect(/\r\n/.test(readFileSync(join(cwd, 'src/app.ts'), 'utf8'))).toBe(hasCrLf)
  const script = (name: string) => succeed('npm', ['run', name], { cwd, env })
  const change = async (...command: string[]) => {
    const { code, stdout, stderr } = await cli([...command, '--no-install', '--yes'], { cwd, env })
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).not.toMatch(/edited by you|CONFLICT/)
    linkPackages(cwd, inject('modules'))
    await succeed('git', ['add', '--all'], { cwd, env })
    await succeed('git', ['commit', '--quiet', '--message', command.join(' ')], { cwd, env })
  }
  // The formatter of `check` has one line end.
  const check = async () => {
    if (hasCrLf) await succeed(join(cwd, 'node_modules/.bin/tsc'), ['--noEmit'], { cwd })
    else await script('check')
  }

  // The database was migrated by the other checkout: nothing runs twice.
  await script('db:migrate')
  await check()
  await runTests(cwd, hasCrLf ? [] : ['common-passwords', 'settings'])
  await change('add', 'metrics')
  await change('regenerate', '--mode', 'complete')
  await change('regenerate', '--profile', 'A')
  await change('remove', 'metrics')
  await script('db:migrate')
  expect(query(cwd, "SELECT name FROM sqlite_schema WHERE name = 'outbox'")).toHaveLength(1)
  await check()
  await runTests(cwd, ['test/accounts', 'test/settings', 'common-passwords'])
})
