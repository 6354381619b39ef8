import { expect, it } from 'vitest'
import { readFolder } from '../../src/migrations/folder.ts'
import { upgradedFiles } from '../../src/migrations/upgrade.ts'
import { fakeRun, filesIn } from '../support/fixtures.ts'
import { type Memory, projectOf, regenerate, run, stateNamed } from './project.ts'

const PROJECT = '/work/my-api'

/** A project of mode none whose owner ran `drizzle-kit up` of Drizzle Kit 1.0. */
async function upgradedProject(): Promise<Memory> {
  const memory = await projectOf(stateNamed('none sqlite'))
  const folder = readFolder(new Map(Object.entries(filesIn(memory, PROJECT))), 'sqlite')
  memory.volume.rmSync(`${PROJECT}/migrations`, { recursive: true })
  const files = [...upgradedFiles(folder)].map(([path, text]) => [`${PROJECT}/${path}`, text])
  memory.volume.fromJSON(Object.fromEntries(files))
  return memory
}

const sourcesOf = (memory: Memory) =>
  Object.fromEntries(
    Object.entries(filesIn(memory, PROJECT)).filter(([path]) => !path.startsWith('.authsmith/')),
  )

const sqlOf = (memory: Memory) => Object.keys(sourcesOf(memory)).filter((path) => path.endsWith('.sql'))

it('a switch adds migrations to the layout of Drizzle Kit 1.0, and --abort removes them and their folders', async () => {
  const memory = await upgradedProject()
  const before = sourcesOf(memory)
  expect((await regenerate(memory, ['--mode', 'basic', '--profile', 'B'])).exitCode).toBe(0)
  expect(sqlOf(memory)).toEqual([
    'migrations/sqlite/20260101000000_init/migration.sql',
    expect.stringMatching(/^migrations\/sqlite\/\d{14}_basic-b\/migration\.sql$/),
  ])
  expect((await regenerate(memory, ['--abort'])).exitCode).toBe(0)
  expect(sourcesOf(memory)).toEqual(before)
  expect(memory.volume.readdirSync(`${PROJECT}/migrations/sqlite`)).toEqual(['20260101000000_init'])
})

it('its migration is not forgotten while it is there, because it runs at the next start', async () => {
  const memory = await upgradedProject()
  memory.volume.appendFileSync(`${PROJECT}/src/app.ts`, 'export const mine = true\n')
  memory.volume.writeFileSync(`${PROJECT}/README.md`, '# Mine\n')
  expect((await regenerate(memory, ['--mode', 'basic', '--profile', 'B'])).exitCode).toBe(4)
  const [, added = ''] = sqlOf(memory)
  const { exitCode, stderr } = await regenerate(memory, ['--forget'])
  expect(exitCode).toBe(3)
  expect(stderr).toContain(`With \`--forget\`, ${added} stays and runs at the next start`)
  memory.volume.rmSync(`${PROJECT}/${added}`)
  expect((await regenerate(memory, ['--forget'])).exitCode).toBe(0)
})

it('an update without a migration works in whatever Drizzle Kit writes later', async () => {
  const memory = await upgradedProject()
  const snapshot = `${PROJECT}/migrations/sqlite/20260101000000_init/snapshot.json`
  memory.volume.writeFileSync(snapshot, '{"version":"99"}')
  expect(await run(memory, ['regenerate', '--check'])).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await regenerate(memory, ['--package-manager', 'pnpm'])).toMatchObject({ exitCode: 0, stderr: '' })
  const { exitCode, stderr } = await regenerate(memory, ['--mode', 'basic', '--profile', 'B'])
  expect(exitCode).toBe(3)
  expect(stderr).toContain('20260101000000_init/snapshot.json is damaged')
})

it("the migration of the owner's tables is recognized in what Drizzle Kit 1.0 prints", async () => {
  const memory = await upgradedProject()
  const table =
    "import { id, table } from '../dialect.ts'\n\nexport const tasks = table('tasks', { id: id() })\n"
  memory.volume.writeFileSync(`${PROJECT}/src/db/schema/tasks.ts`, table)
  const { run: runner, lines } = fakeRun(() => ({ output: '[✓] Your SQL migration ➜ migrations/postgres' }))
  const { exitCode } = await run(memory, ['regenerate', '--database', 'postgres'], { run: runner })
  expect(lines).toContain('npm run db:generate -- --name own_tables')
  expect(exitCode).toBe(0)
  expect(sqlOf(memory)).toContain('migrations/postgres/20260101000000_init/migration.sql')
})
