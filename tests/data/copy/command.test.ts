// Covers src/cli/copy-command.ts, src/copy/copy-data.ts, src/copy/progress.ts.
import fs, { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { main } from '../../../src/cli/main.ts'
import { sqliteTarget } from '../../../src/copy/sqlite-target.ts'
import { readFolder } from '../../../src/migrations/drizzle-kit/folder.ts'
import { firstManifest, manifestText } from '../../../src/project/manifest.ts'
import type { System } from '../../../src/system/system.ts'
import { freshFiles } from '../living-project.ts'
import { openFile } from './sqlite-database.ts'

let project: string
beforeEach(() => {
  project = mkdtempSync(join(inject('drafts'), 'project-'))
  const answers = {
    name: 'my-api',
    mode: 'none',
    database: 'sqlite',
    addOns: [],
    packageManager: 'npm',
  } as const
  const files = [...freshFiles('none', 'sqlite')].filter(([path]) => path.startsWith('migrations/'))
  for (const [path, text] of [
    ...files,
    ['.authsmith/manifest.json', manifestText(firstManifest(answers))] as const,
  ]) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  symlinkSync(join(inject('modules'), 'node_modules'), join(project, 'node_modules'))
})

/** Runs `copy-data` inside the project. */
async function copyData(args: string[], overrides: Partial<System> = {}) {
  const said = { stdout: '', stderr: '' }
  const system: System = {
    fs,
    run: async () => ({ ok: false, output: 'programs are not available in this test' }),
    prompts: () => Promise.reject(new Error('prompted')),
    env: {},
    cwd: project,
    blueprints: '/nonexistent',
    nodeVersion: '24.4.0',
    interactive: false,
    terminal: () => ({ columns: 80, rows: 24 }),
    hasTerminal: false,
    signal: new AbortController().signal,
    now: Date.now,
    pid: process.pid,
    isAlive: () => false,
    print: (text) => {
      said.stdout += text
    },
    warn: (text) => {
      said.stderr += text
    },
    progress: () => () => {},
    ...overrides,
  }
  const exitCode = await main(['copy-data', ...args], system, async () => system)
  return { exitCode, ...said }
}

/** Creates old.db with the project's migrations and three notes. */
async function oldDatabase(): Promise<void> {
  const connection = openFile(inject('modules'), join(project, 'old.db'))
  await sqliteTarget(connection).migrate(readFolder(freshFiles('none', 'sqlite'), 'sqlite').migrations)
  connection.exec(
    `INSERT INTO notes (title, body, created_at) VALUES ('a', '', 1), ('b', '', 2), ('c', '', 3)`,
  )
  connection.close()
}

/** The titles of all notes in a file. */
function titles(file: string): unknown[] {
  const connection = openFile(inject('modules'), join(project, file))
  const rows = connection.prepare('SELECT title FROM notes ORDER BY id').raw().all()
  connection.close()
  return rows.flat()
}

const FROM_OLD = ['--from', 'file:old.db', '--to', 'file:data/new.db']

describe('copy-data', () => {
  test('migrates the target, copies all rows and prints their count', async () => {
    await oldDatabase()
    const { exitCode, stdout, stderr } = await copyData(FROM_OLD, { cwd: project })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/^Stop the service.*\n$/),
    })
    expect(stdout).toMatch(/^table +rows +checksum\nnotes +3 +[0-9a-f]{32}\nCopied 3 rows, /)
    expect(titles('data/new.db')).toEqual(['a', 'b', 'c'])
    expect(titles('old.db')).toEqual(['a', 'b', 'c'])
  })

  test('resolves relative paths from the current directory and finds the project above it', async () => {
    await oldDatabase()
    mkdirSync(join(project, 'src'))
    const args = ['--from', '../old.db', '--to', 'file:new.db']
    expect(await copyData(args, { cwd: join(project, 'src') })).toMatchObject({ exitCode: 0 })
    expect(titles('src/new.db')).toEqual(['a', 'b', 'c'])
  })

  test('--json prints one object', async () => {
    await oldDatabase()
    const { stdout } = await copyData([...FROM_OLD, '--json'])
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      exitCode: 0,
      tables: [{ name: 'notes', rows: 3, checksum: expect.stringMatching(/^[0-9a-f]{32}$/) }],
      notes: [],
    })
  })

  test.each([
    [true, 'Copying notes: 100 %'],
    [false, 'Copying notes'],
  ])('shows what it copies (terminal: %s)', async (hasTerminal, last) => {
    await oldDatabase()
    let text = () => ''
    let hasEnded = false
    const progress = (current: () => string) => {
      text = current
      return () => {
        hasEnded = true
      }
    }
    expect((await copyData(FROM_OLD, { hasTerminal, progress })).exitCode).toBe(0)
    expect({ text: text(), hasEnded }).toEqual({ text: last, hasEnded: true })
  })

  test('refuses a target that holds rows before migrating it', async () => {
    await oldDatabase()
    expect(await copyData(FROM_OLD)).toMatchObject({ exitCode: 0 })
    expect(await copyData(FROM_OLD)).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringMatching(
        /^create-authsmith: The target is not empty \(rows in notes: 3\)\..* Nothing was copied\.$/m,
      ),
    })
    const older = openFile(inject('modules'), join(project, 'older.db'))
    older.exec('CREATE TABLE mine (id INTEGER PRIMARY KEY); INSERT INTO mine VALUES (1)')
    expect(await copyData(['--from', 'old.db', '--to', 'older.db'])).toMatchObject({ exitCode: 3 })
    expect(older.prepare('SELECT name FROM sqlite_master').raw().all()).toEqual([['mine']])
    older.close()
    expect(await copyData([...FROM_OLD, '--skip', 'notes'])).toMatchObject({ exitCode: 0 })
  })

  test('refuses a source with pending migrations and leaves the target unchanged', async () => {
    openFile(inject('modules'), join(project, 'old.db')).close()
    expect(await copyData(FROM_OLD)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('The source lacks the migrations 0000_init of migrations/sqlite'),
    })
    expect(existsSync(join(project, 'data'))).toBe(false)
  })

  test('refuses a damaged migrations folder', async () => {
    await oldDatabase()
    writeFileSync(
      join(project, 'migrations/sqlite/meta/_journal.json'),
      '{"dialect":"sqlite","entries":[{"tag":7}]}',
    )
    expect(await copyData(FROM_OLD)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('migrations/sqlite/meta/_journal.json is damaged'),
    })
  })

  test('fails if the source is missing, and does not show a password', async () => {
    const missing = await copyData(FROM_OLD)
    expect(missing.exitCode).toBe(1)
    expect(missing.stderr).toMatch(
      /^create-authsmith: Cannot open the database to copy from: .*\. Nothing was copied\.$/m,
    )
    const server = await copyData(['--from', 'postgres://me:geheim@127.0.0.1:1/x', '--to', 'file:new.db'])
    expect(server.exitCode).toBe(1)
    expect(server.stderr).toContain('ECONNREFUSED')
    expect(server.stderr).not.toContain('geheim')
  })

  test('leaves the target empty on Ctrl-C, and the next run succeeds', async () => {
    await oldDatabase()
    const interruption = new AbortController()
    const interrupted = await copyData(FROM_OLD, {
      hasTerminal: true,
      signal: interruption.signal,
      progress: (text) => {
        const watch = () => (text().includes('%') ? interruption.abort() : setImmediate(watch))
        watch()
        return () => {}
      },
    })
    expect(interrupted).toMatchObject({ exitCode: 130, stdout: '' })
    expect(titles('data/new.db')).toEqual([])
    expect(await copyData(FROM_OLD)).toMatchObject({ exitCode: 0 })
    expect(titles('data/new.db')).toEqual(['a', 'b', 'c'])
  })
})
