import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { succeed } from '../../support/command.ts'
import { cli, createLinked } from '../../support/create-project.ts'
import { newFolder } from '../../support/folder.ts'
import { linkPackages } from '../../support/packages.ts'
import { query } from '../suites/living.ts'
import { isWhole } from '../variants/every-run.ts'
import { testsThatRead } from './changes.ts'
import { runTests } from './run-tests.ts'

const env = { GIT_CONFIG_GLOBAL: inject('gitConfig'), NODE_ENV: 'development' }

const read = (folder: string, file: string) => readFileSync(join(folder, file))

/** Creates and migrates a project, commits it, and clones it as git for Windows does by default. */
async function cloneOnWindows(deleted: readonly string[] = []) {
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
  return { project: cwd, clone }
}

/** Switches there and back, as `npm run regenerate` does in the clone. */
async function switchClone(cwd: string): Promise<void> {
  const changes = [
    ['add', 'metrics'],
    ['regenerate', '--mode', 'complete'],
    ['regenerate', '--profile', 'A'],
    ['remove', 'metrics'],
  ]
  for (const change of changes) {
    const { code, stdout, stderr } = await cli([...change, '--no-install', '--yes'], { cwd, env })
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).not.toMatch(/edited by you|CONFLICT/)
    linkPackages(cwd, inject('modules'))
    await succeed('git', ['add', '--all'], { cwd, env })
    await succeed('git', ['commit', '--quiet', '--message', change.join(' ')], { cwd, env })
  }
  await migrate(cwd)
  expect(query(cwd, "SELECT name FROM sqlite_schema WHERE name = 'outbox'")).toHaveLength(1)
}

const migrate = (cwd: string) => succeed('npm', ['run', 'db:migrate'], { cwd, env })

// Its tests are those of every project: it has the same bytes.
test('a default clone on Windows has LF, because of .gitattributes, and is switched', async () => {
  const { project, clone } = await cloneOnWindows()
  const { stdout } = await succeed('git', ['ls-files', '-z'], { cwd: clone, env })
  const files = stdout.split('\0').slice(0, -1)
  expect(files).toContain('src/app.ts')
  expect(files.filter((file) => !read(clone, file).equals(read(project, file)))).toEqual([])
  expect(read(clone, 'src/app.ts').includes('\r\n')).toBe(false)
  // The database was migrated by the other checkout: nothing runs twice.
  await migrate(clone)
  await switchClone(clone)
  await succeed('npm', ['run', 'check'], { cwd: clone, env })
})

test('a default clone on Windows has CR LF, without .gitattributes, and works', async () => {
  const { clone } = await cloneOnWindows(['.gitattributes'])
  expect(read(clone, 'src/app.ts').includes('\r\n')).toBe(true)
  // Instead of the script check, whose formatter has one line end.
  const checkTypes = () => succeed(join(clone, 'node_modules/.bin/tsc'), ['--noEmit'], { cwd: clone })
  await migrate(clone)
  if (isWhole) await checkTypes()
  const accounts = ['test/accounts', 'common-passwords']
  await runTests(clone, isWhole ? [] : [...testsThatRead(clone), ...accounts])
  await switchClone(clone)
  await checkTypes()
  await runTests(clone, ['test/settings', ...accounts])
})
