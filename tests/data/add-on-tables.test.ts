// Covers src/migrations/project-files.ts and src/migrations/switch.ts: an add-on with a table, which only these tests have.
import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { definitions } from '../../src/answers/definitions.ts'
import { parseAddress } from '../../src/copy/address.ts'
import { openTarget } from '../../src/copy/target.ts'
import { readFolder } from '../../src/migrations/drizzle-kit/folder.ts'
import { runCommand } from '../support/fixtures.ts'
import { newSchema, postgresDriver, testServer } from './copy/postgres-database.ts'
import { openFile, sqliteDriver } from './copy/sqlite-database.ts'
import { writeDatabaseFiles } from './living-project.ts'
import { blueprintsWithMemos, ProjectWithMemos } from './made-up-add-on.ts'

vi.mock('../../src/answers/definitions.ts', async (load) => {
  const { definitions, shared } = await load<typeof import('../../src/answers/definitions.ts')>()
  const memos = { line: 'memos', since: '0.3.0', modes: ['complete'], hasTables: true }
  const sorted = Object.entries({ ...definitions, memos }).sort(([a], [b]) => (a < b ? -1 : 1))
  return { definitions: Object.fromEntries(sorted), shared }
})

let blueprints: Record<string, string>
beforeAll(async () => {
  blueprints = await blueprintsWithMemos()
})

const projects: ProjectWithMemos[] = []
afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove()
})

async function create(...flags: string[]): Promise<ProjectWithMemos> {
  const project = await ProjectWithMemos.create(blueprints, ...flags)
  projects.push(project)
  return project
}

const USER = {
  sqlite:
    "INSERT INTO users (id, email, username, hashed_password, created_at, updated_at) VALUES (1, 'a@example.com', 'a', 'x', 1, 1);",
  postgres:
    "INSERT INTO users (email, username, hashed_password, created_at, updated_at) VALUES ('a@example.com', 'a', 'x', now(), now());",
}
const MEMO = {
  sqlite: "INSERT INTO memos (user_id, kind, created_at) VALUES (1, 'mine', 1);",
  postgres: "INSERT INTO memos (user_id, kind, created_at) VALUES (1, 'mine', now());",
}

describe.each(['sqlite', 'postgres'] as const)('an add-on with a table, %s', (dialect) => {
  const flags = ['--database', dialect, '--add']

  test('comes with one migration, at the creation or later, and Drizzle Kit finds no difference', async () => {
    const created = await create(...flags, 'memos,pages')
    expect(created.tags(dialect)).toEqual(['0000_init', '0001_memos'])
    expect(await created.difference()).toContain('No schema changes')
    const added = await create(...flags, 'pages')
    const report = await added.run('add', 'memos')
    expect(report).toContain('New settings: MEMOS.')
    expect(added.code).toEqual(created.code)
    expect(added.tags(dialect)).toEqual(['0000_init', '0001_memos'])
    expect(await added.difference()).toContain('No schema changes')
    const database = await added.migrate(dialect)
    await database.run(USER[dialect], MEMO[dialect])
    expect(await database.rows('SELECT kind FROM memos')).toEqual([{ kind: 'mine' }])
  })

  test('leaves its rows asleep when it goes, and finds them when it comes again', async () => {
    const project = await create(...flags, 'memos')
    const database = await project.migrate(dialect)
    await database.run(USER[dialect], MEMO[dialect])
    const before = project.code
    const report = await project.run('remove', 'memos')
    expect(report).toContain('stay in the database with their rows: memos')
    expect(report).toContain('DROP TABLE "memos";')
    expect(project.tags(dialect)).toEqual(['0000_init', '0001_memos', '0002_without-memos'])
    expect(project.files.get(`migrations/${dialect}/0002_without-memos.sql`)).toMatch(
      /^-- The code no longer/,
    )
    expect(await project.difference()).toContain('No schema changes')
    await project.migrate(dialect)
    const again = await project.run('add', 'memos')
    expect(again).toContain('Added memos')
    expect(project.files.get(`migrations/${dialect}/0003_memos.sql`)).toBe(
      '-- The tables of memos are in the database already.\n',
    )
    expect(await project.difference()).toContain('No schema changes')
    await project.migrate(dialect)
    expect(await database.rows('SELECT kind FROM memos')).toEqual([{ kind: 'mine' }])
    expect(project.code).toEqual(before)
  })

  test('by which users log in loses its rows when it comes again, and the report says so', async () => {
    Object.assign(definitions.memos ?? {}, { isSignIn: true })
    onTestFinished(() => void Object.assign(definitions.memos ?? {}, { isSignIn: undefined }))
    const project = await create(...flags, 'memos')
    const database = await project.migrate(dialect)
    for (const time of [1, 2]) {
      await database.run(...(time === 1 ? [USER[dialect]] : []), MEMO[dialect])
      await project.run('remove', 'memos')
      await project.migrate(dialect)
      expect(await project.run('add', 'memos')).toContain('deletes the rows that memos still has')
      expect(project.tags(dialect).at(-1)).toBe(`000${2 * time + 1}_memos-rows`)
      expect(await project.difference()).toContain('No schema changes')
      await project.migrate(dialect)
      expect(await database.rows('SELECT kind FROM memos')).toEqual([])
    }
  })

  test('goes with a mode that does not allow it, and comes again', async () => {
    const project = await create(...flags, 'memos,pages')
    const database = await project.migrate(dialect)
    await database.run(USER[dialect], MEMO[dialect])
    expect(await project.run('regenerate', '--mode', 'none')).toContain('removed memos')
    expect(await project.difference()).toContain('No schema changes')
    await project.migrate(dialect)
    await project.run('regenerate', '--mode', 'complete', '--profile', 'B', '--add', 'memos')
    expect(await project.difference()).toContain('No schema changes')
    await project.migrate(dialect)
    expect(await database.rows('SELECT kind FROM memos')).toEqual([{ kind: 'mine' }])
  })

  test('has its table in the other database, also while it is asleep', async () => {
    const other = dialect === 'sqlite' ? 'postgres' : 'sqlite'
    const project = await create(...flags, 'memos')
    await project.run('remove', 'memos')
    await project.run('regenerate', '--mode', 'none')
    await project.run('regenerate', '--database', other)
    expect(await project.difference()).toContain('No schema changes')
    const database = await project.migrate(other)
    expect(await database.rows('SELECT kind FROM memos')).toEqual([])
    await project.run('regenerate', '--mode', 'complete', '--profile', 'B', '--add', 'memos')
    expect(await project.difference()).toContain('No schema changes')
    await (await project.migrate(other)).run(USER[other], MEMO[other])
    await project.run('regenerate', '--database', dialect)
    expect(await project.difference()).toContain('No schema changes')
    await (await project.migrate(dialect)).run(USER[dialect], MEMO[dialect])
  })
})

describe.each(['sqlite', 'postgres'] as const)('copy-data to %s', (dialect) => {
  const modules = inject('modules')

  test('copies the rows of a table that is asleep, which the add-on finds in the copy', async ({ skip }) => {
    if (dialect === 'postgres' && !testServer) return skip('TEST_DATABASE_URL is not set')
    const project = await create('--add', 'memos')
    await project.run('remove', 'memos')
    if (dialect === 'postgres') await project.run('regenerate', '--database', dialect)
    const folder = writeDatabaseFiles(project.files)
    const to = dialect === 'postgres' ? await newSchema(modules, testServer ?? '') : 'file:new.db'
    const driver = (dialect === 'postgres' ? postgresDriver : sqliteDriver)(modules)
    /** Applies the project's migrations to a database. @returns how many memos it has then */
    const migrate = async (kind: typeof dialect, address: string) => {
      const target = await openTarget(
        kind === dialect ? driver : sqliteDriver(modules),
        parseAddress('--to', address, folder),
      )
      await target.migrate(readFolder(project.files, kind).migrations)
      return target.count('memos').finally(target.close)
    }
    await migrate('sqlite', 'file:old.db')
    const old = openFile(modules, join(folder, 'old.db'))
    old.exec(USER.sqlite + MEMO.sqlite)
    old.close()

    const copied = await runCommand(['copy-data', '--from', 'file:old.db', '--to', to], { fs, cwd: folder })
    expect(copied, copied.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^memos +1 /m) })
    await project.run('add', 'memos')
    expect(await migrate(dialect, to)).toBe(1)
  })
})

test("a table of the owner with the add-on's name is refused, which names both", async () => {
  const project = await create('--add', 'none')
  const journal = JSON.parse(project.files.get('migrations/sqlite/meta/_journal.json') ?? '')
  const [init] = journal.entries
  const entry = { ...init, idx: 1, tag: '0001_own', when: init.when + 1000 }
  const snapshot = JSON.parse(project.files.get('migrations/sqlite/meta/0000_snapshot.json') ?? '')
  project.write('migrations/sqlite/0001_own.sql', 'CREATE TABLE `memos` (`id` integer PRIMARY KEY);\n')
  project.write(
    'migrations/sqlite/meta/0001_snapshot.json',
    JSON.stringify({ ...snapshot, prevId: snapshot.id, id: 'own' }),
  )
  project.write(
    'migrations/sqlite/meta/_journal.json',
    JSON.stringify({ ...journal, entries: [init, entry] }),
  )
  await expect(project.run('add', 'memos')).rejects.toThrow(
    'Your table "memos" has the name of a table of the add-on memos.',
  )
})
