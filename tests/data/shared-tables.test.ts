// Covers what src/migrations/switch.ts and replay.ts do with a table that two add-ons share.
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { blueprintsWithMemos, ProjectWithMemos } from './made-up-add-on.ts'

vi.mock('../../src/answers/definitions.ts', async (load) => {
  const { definitions, shared } = await load<typeof import('../../src/answers/definitions.ts')>()
  const allowed = { since: '0.3.0', modes: ['complete'] }
  const memos = { ...allowed, line: 'memos', hasTables: true }
  const letters = { ...allowed, line: 'letters', hasTables: false }
  const sorted = Object.entries({ ...definitions, memos, letters }).sort(([a], [b]) => (a < b ? -1 : 1))
  const paper = { users: ['letters', 'memos'], hasTables: true }
  return { definitions: Object.fromEntries(sorted), shared: { ...shared, paper } }
})

let blueprints: Record<string, string>
beforeAll(async () => {
  blueprints = await blueprintsWithMemos({ isShared: true })
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

describe.each(['sqlite', 'postgres'] as const)('a table that two add-ons share, %s', (dialect) => {
  const flags = ['--database', dialect, '--add']

  test('comes with the first of them and goes with the last', async () => {
    const project = await create(...flags, 'memos')
    expect(project.tags(dialect)).toEqual(['0000_init', '0001_paper', '0002_memos'])
    const database = await project.migrate(dialect)
    await project.run('add', 'letters')
    expect(project.tags(dialect)).toHaveLength(3)
    await project.run('remove', 'memos')
    expect(project.tags(dialect).at(-1)).toBe('0003_without-memos')
    expect(await project.difference()).toContain('No schema changes')
    const report = await project.run('remove', 'letters')
    expect(report).toContain('DROP TABLE "papers";')
    expect(project.tags(dialect).at(-1)).toBe('0004_without-paper')
    expect(await project.difference()).toContain('No schema changes')
    await project.run('add', 'memos')
    expect(project.tags(dialect).slice(5)).toEqual(['0005_paper', '0006_memos'])
    expect(await project.difference()).toContain('No schema changes')
    await project.migrate(dialect)
    expect(await database.rows('SELECT * FROM papers')).toEqual([])
  })

  test('is the same whichever of them comes first', async () => {
    const [first, second, both] = [
      await create(...flags, 'letters'),
      await create(...flags, 'none'),
      await create(...flags, 'letters,memos'),
    ]
    await first.run('add', 'memos')
    await second.run('add', 'memos')
    await second.run('add', 'letters')
    expect(first.code).toEqual(both.code)
    expect(second.code).toEqual(both.code)
    for (const project of [first, second, both])
      expect(project.tags(dialect)).toEqual(['0000_init', '0001_paper', '0002_memos'])
  })

  test('is in the other database too, also while it is asleep', async () => {
    const other = dialect === 'sqlite' ? 'postgres' : 'sqlite'
    const project = await create(...flags, 'letters')
    await project.run('remove', 'letters')
    await project.run('regenerate', '--database', other)
    expect(await project.difference()).toContain('No schema changes')
    const database = await project.migrate(other)
    expect(await database.rows('SELECT * FROM papers')).toEqual([])
    await project.run('regenerate', '--database', dialect, '--add', 'letters,memos')
    expect(await project.difference()).toContain('No schema changes')
    await project.migrate(dialect)
  })
})
