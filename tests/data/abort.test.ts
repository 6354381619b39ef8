// Covers src/cli/taken-back.ts.
import fs, { appendFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { sqliteTarget } from '../../src/copy/sqlite-target.ts'
import { readFolder } from '../../src/migrations/drizzle-kit/folder.ts'
import { migrationsIn } from '../../src/migrations/drizzle-kit/on-disk.ts'
import { readTree } from '../../src/project/tree.ts'
import { runCommand } from '../support/fixtures.ts'
import { openFile } from './copy/sqlite-database.ts'

/** A new project of mode none, with a database if `isStarted`, whose switch to basic B has a conflict. */
async function switchedProject({ isStarted = true } = {}) {
  const folder = mkdtempSync(join(inject('drafts'), 'abort-'))
  const project = join(folder, 'my-api')
  const run = (argv: string[], cwd = project) =>
    runCommand(argv, { fs, cwd, blueprints: resolve('blueprints'), temporary: folder })
  /** Applies the pending migrations, as a start of the service does. */
  const start = async () => {
    mkdirSync(join(project, 'data'), { recursive: true })
    const connection = openFile(inject('modules'), join(project, 'data/app.db'))
    const { migrations } = readFolder(migrationsIn(readTree(fs, project), 'sqlite'), 'sqlite')
    await sqliteTarget(connection).migrate(migrations)
    connection.close()
  }
  await run(['my-api', '-m', 'none', '-d', 'sqlite', '--no-install', '--no-git'], folder)
  symlinkSync(join(inject('modules'), 'node_modules'), join(project, 'node_modules'))
  if (isStarted) await start()
  const conflicting = join(project, 'README.md')
  writeFileSync(conflicting, readFileSync(conflicting, 'utf8').replace(/^.*\n/, '# Mine\n'))
  appendFileSync(conflicting, 'mine\n')
  const { exitCode } = await run(['regenerate', '-m', 'basic', '-p', 'B', '--no-install', '--allow-dirty'])
  expect(exitCode).toBe(4)
  return { run, start, project }
}

describe('`regenerate --abort`', () => {
  test('says that the database has run the migration of the switch, and the switch can be repeated', async () => {
    const { run, start } = await switchedProject()
    await start()
    const note =
      'data/app.db has already run 0001_basic-b: to undo that, restore a backup. If you repeat the same update, its tables are recognized.'
    const { exitCode, stdout } = await run(['regenerate', '--abort'])
    expect(stdout).toContain(`  ${note}\n`)
    expect(exitCode).toBe(0)
    await run(['regenerate', '-m', 'basic', '-p', 'B', '--no-install', '--allow-dirty'])
    await start()
    expect(JSON.parse((await run(['regenerate', '--abort', '--json'])).stdout).notes).toEqual([note])
  })

  test('says nothing of a database that has not run it', async () => {
    for (const isStarted of [true, false]) {
      const { run } = await switchedProject({ isStarted })
      expect((await run(['regenerate', '--abort'])).stdout).toBe('my-api is as it was before the update\n')
    }
  })

  test('undoes the update also if the database cannot be read', async () => {
    const { run, project } = await switchedProject({ isStarted: false })
    mkdirSync(join(project, 'data'), { recursive: true })
    writeFileSync(join(project, 'data/app.db'), 'not a database')
    const { exitCode, stdout } = await run(['regenerate', '--abort'])
    expect(stdout).toBe('my-api is as it was before the update\n')
    expect(exitCode).toBe(0)
  })
})
