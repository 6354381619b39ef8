// Covers src/update/keep-imported.ts, src/project/files.ts.
import { dirname, join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { allFiles, flagsOf, type Memory, projectOf, regenerate, stateNamed, tree } from './project.ts'

const inProject = (path: string) => `/work/my-api/${path}`
const switchTo = (memory: Memory, state: string, ...more: string[]) =>
  regenerate(memory, [...flagsOf(stateNamed(state)), ...more])

const REPORT = `import { notes } from '../../../db/schema/notes.ts'

export default async (app) => {
  app.get('/report', async () => app.db.select().from(notes))
}
`
const PROJECTS = `import { id, integer, table } from '../dialect.ts'
import { users } from './users.ts'

export const projects = table('projects', { id: id(), ownerId: integer('owner_id').references(() => users.id) })
`

/** The relative imports in src/ that lead to no file. */
const missingImports = (files: Record<string, string>): string[] =>
  Object.entries(files).flatMap(([path, text]) =>
    [...(path.startsWith('src/') ? text.matchAll(/^(?:import|\} from) .*'(\.[^']+\.ts)'$/gm) : [])]
      .map(([, target = '']) => join(dirname(path), target))
      .filter((target) => files[target] === undefined)
      .map((target) => `${path} imports ${target}`),
  )

describe("a file that the owner's code imports", () => {
  it('stays when it is no longer generated, and the report names it and who imports it', async () => {
    const memory = await projectOf(stateNamed('none sqlite'), {
      [inProject('src/routes/api/v1/report.ts')]: REPORT,
    })
    const before = allFiles(memory)
    const planned = await switchTo(memory, 'basic B sqlite', '--dry-run', '--json')
    expect(JSON.parse(planned.stdout).files).toContainEqual({
      path: 'src/db/schema/notes.ts',
      action: 'yours',
      detail: 'imported by src/routes/api/v1/report.ts',
    })
    const { stdout, exitCode } = await switchTo(memory, 'basic B sqlite')
    expect(exitCode).toBe(0)
    expect(stdout).toContain(
      'no longer generated, yours now: src/db/schema/notes.ts (imported by src/routes/api/v1/report.ts)\n',
    )
    expect(stdout).toContain('    src/routes/api/v1: notes.ts\n')
    expect(tree(memory)['src/db/schema/notes.ts']).toBe(before['src/db/schema/notes.ts'])
    expect(tree(memory)).not.toHaveProperty(['src/routes/api/v1/notes.ts'])

    expect((await regenerate(memory, ['--check'])).exitCode).toBe(0)
    await switchTo(memory, 'none sqlite')
    expect(tree(memory)).toEqual({
      ...tree(await projectOf(stateNamed('none sqlite'))),
      'src/routes/api/v1/report.ts': REPORT,
    })
  })

  it('stays with its table, so that db:generate does not drop it', async () => {
    const memory = await projectOf(stateNamed('complete B sqlite'), {
      [inProject('src/db/schema/projects.ts')]: PROJECTS,
    })
    expect((await switchTo(memory, 'none sqlite')).exitCode).toBe(0)
    const snapshot = JSON.parse(allFiles(memory)['migrations/sqlite/meta/0001_snapshot.json'] ?? '')
    expect(Object.keys(snapshot.tables)).toEqual(['users', 'notes'])
  })

  it('stays with what it imports itself, and with what an edited file imports', async () => {
    const memory = await projectOf(stateNamed('basic B sqlite'))
    const text = String(memory.fs.readFileSync(inProject('src/server.ts')))
    memory.fs.writeFileSync(inProject('src/server.ts'), `import './users/users.js'\n${text}`)
    await switchTo(memory, 'none sqlite')
    const after = tree(memory)
    expect(after['src/server.ts']).toContain("import './users/users.js'\n")
    for (const path of ['src/users/users.ts', 'src/users/names.ts', 'src/db/schema/users.ts'])
      expect(after).toHaveProperty([path])
    expect(after).not.toHaveProperty(['src/routes/api/v1/auth/login.ts'])
  })

  it('stays through a second switch, with what it imports itself', async () => {
    const memory = await projectOf(stateNamed('complete B sqlite'), {
      [inProject('src/routes/api/v1/quota.ts')]: "import '../../../mail/limit.ts'\n",
    })
    await switchTo(memory, 'basic B sqlite')
    const { stdout, exitCode } = await switchTo(memory, 'none sqlite')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/yours now: src\/limits\/attempts\.ts \(imported by src\/mail\/\S+\)\n/)
    expect(tree(memory)).toHaveProperty(['src/mail/limit.ts'])
    expect(tree(memory)).not.toHaveProperty(['src/routes/api/v1/auth/login.ts'])
    expect(missingImports(tree(memory))).toEqual([])
    const snapshot = JSON.parse(allFiles(memory)['migrations/sqlite/meta/0002_snapshot.json'] ?? '')
    expect(Object.keys(snapshot.tables)).toContain('attempts')
  })

  it.each([
    "const { notes } = await import('../db/schema/notes')",
    'export * from "../db/schema/notes.js"',
    "new Worker(new URL('../db/schema/notes.ts', import.meta.url))",
  ])('stays however it is imported: %s', async (line) => {
    const memory = await projectOf(stateNamed('none sqlite'), { [inProject('src/own/a.mts')]: line })
    await switchTo(memory, 'basic B sqlite')
    expect(tree(memory)).toHaveProperty(['src/db/schema/notes.ts'])
  })
})

it('an edited file that is no longer generated does not keep the feature, and the report names what it lacks', async () => {
  const memory = await projectOf(stateNamed('complete B sqlite'))
  const login = 'src/routes/api/v1/auth/login.ts'
  const text = String(memory.fs.readFileSync(inProject(login)))
  memory.fs.writeFileSync(inProject(login), `// ours\n${text}`)
  const { stdout } = await switchTo(memory, 'none sqlite')
  expect(stdout).toMatch(
    /no longer generated, yours now: src\/routes\/api\/v1\/auth\/login\.ts \(it imports src\/\S+\.ts, which is deleted: delete or change it\)\n/,
  )
  expect(tree(memory)).not.toHaveProperty(['src/accounts/login.ts'])
})
