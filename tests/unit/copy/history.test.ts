import { expect, test } from 'vitest'
import type { State } from '../../../src/answers/variant.ts'
import { refuseOlderSource } from '../../../src/copy/history.ts'

/**
 * Copies from SQLite into a project on PostgreSQL.
 * @param migrations of SQLite, in order; undefined when the project was never on SQLite
 * @param applied how many of them the source has had
 * @param switches the states that the project went through, and how many of them its migrations of SQLite followed
 */
function check(
  migrations: string[] | undefined,
  applied: number,
  switches: { history: State[]; followed: number },
) {
  const own = migrations?.map((name, idx) => ({
    when: idx + 1,
    tag: `000${idx}_${name}`,
    sql: '',
  }))
  const all = Array.from({ length: applied }, (_, index) => ({ hash: '', time: index + 1 }))
  const source = { kind: 'sqlite' as const, migrations: async () => all }
  const { history, followed } = switches
  return refuseOlderSource(source, own, {
    answers: {
      name: 'my-api',
      mode: 'basic',
      profile: 'B',
      database: 'postgres',
      addOns: [],
      packageManager: 'npm',
    },
    history,
    migrated: { sqlite: followed, postgres: history.length },
  })
}

test('a source that has been through the same switches can be copied, whatever the owner did in between', async () => {
  await check(['init', 'tasks', 'basic-b'], 3, { history: ['none', 'basic-b'], followed: 2 })
  await check(undefined, 0, { history: ['none', 'basic-b'], followed: 0 })
})

test('a source that waits for a migration of its own is refused', async () => {
  const copying = check(['init', 'tasks', 'basic-b'], 1, { history: ['none', 'basic-b'], followed: 2 })
  await expect(copying).rejects.toThrow('lacks the migrations 0001_tasks, 0002_basic-b of migrations/sqlite')
  await expect(copying).rejects.toMatchObject({ code: 'refused' })
})

test('a source that a switch left behind is refused: its sessions and verified addresses would be kept as they are', async () => {
  const switches = { history: ['none', 'basic-b', 'complete-b'] as State[], followed: 2 }
  const copying = check(['init', 'basic-b'], 2, switches)
  await expect(copying).rejects.toThrow('the switch to complete-b, which is in migrations/postgres only')
  await expect(copying).rejects.toMatchObject({ code: 'refused' })
})
