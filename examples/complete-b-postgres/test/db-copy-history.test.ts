import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { refuseOlderSource } from '../src/commands/db-copy/history.ts'

/** What copying from SQLite to PostgreSQL says, where these are the migrations, in order, and so many were applied. */
async function check(migrations: { sqlite?: string[]; postgres: string[] }, applied: number) {
  const folder = await mkdtemp(join(tmpdir(), 'test-history-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [kind, names] of Object.entries(migrations)) {
    const entries = names.map((name, idx) => ({ idx, when: idx + 1, tag: `000${idx}_${name}` }))
    await mkdir(join(folder, kind, 'meta'), { recursive: true })
    await writeFile(join(folder, kind, 'meta/_journal.json'), JSON.stringify({ entries }))
  }
  const all = new Set(Array.from({ length: applied }, (_, index) => index + 1))
  const source = { kind: 'sqlite' as const, migrations: async () => all }
  return refuseOlderSource(source, 'postgres', pathToFileURL(`${folder}/`))
}

test('a source that has been through the same switches may be copied, whatever the owner did in between', async () => {
  await check({ sqlite: ['init', 'tasks', 'basic-b'], postgres: ['init', 'basic-b', 'all_my_tables'] }, 3)
  await check({ postgres: ['init', 'basic-b'] }, 0)
})

test('one that waits for a migration of its own may not', async () => {
  const migrations = { sqlite: ['init', 'tasks', 'basic-b'], postgres: ['init', 'basic-b'] }
  await expect(check(migrations, 1)).rejects.toThrow(
    'has not had 0001_tasks, 0002_basic-b of migrations/sqlite',
  )
})

test('one that was left behind by a switch may not: its sessions and verified addresses would be taken as they are', async () => {
  const migrations = { sqlite: ['init', 'basic-b'], postgres: ['init', 'basic-b', 'complete-b'] }
  await expect(check(migrations, 2)).rejects.toThrow(
    'the switch to complete-b, which is in migrations/postgres only',
  )
})
