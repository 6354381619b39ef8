// Covers src/update/owner/keep-imported.ts, src/update/owner/keep-packages.ts, src/project/files.ts.
import { dirname, join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import {
  allFiles,
  flagsOf,
  type Memory,
  olderFiles,
  olderProject,
  projectOf,
  regenerate,
  stateNamed,
  tree,
} from './project.ts'

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

/** The relative imports that lead to no file. */
const missingImports = (files: Record<string, string>): string[] =>
  Object.entries(files).flatMap(([path, text]) =>
    [
      ...(/^(?:src|dev|test)\/.*\.ts$/.test(path)
        ? text.matchAll(/^(?:import|\} from) .*'(\.[^']+\.ts)'$/gm)
        : []),
    ]
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
      [inProject('src/routes/api/v1/quota.ts')]: "import '../../../email/outbox.ts'\n",
    })
    await switchTo(memory, 'basic B sqlite')
    const { stdout, exitCode } = await switchTo(memory, 'none sqlite')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/yours now: src\/limits\/attempts\.ts \(imported by src\/email\/\S+\)\n/)
    expect(tree(memory)).toHaveProperty(['src/email/outbox.ts'])
    expect(tree(memory)).not.toHaveProperty(['src/routes/api/v1/auth/login.ts'])
    expect(missingImports(tree(memory))).toEqual([])
    const snapshot = JSON.parse(allFiles(memory)['migrations/sqlite/meta/0002_snapshot.json'] ?? '')
    expect(Object.keys(snapshot.tables)).toContain('attempts')
  })

  it.each([
    "const { notes } = await import('../db/schema/notes')",
    'export * from "../db/schema/notes.js"',
    "new Worker(new URL('../db/schema/notes.ts', import.meta.url))",
    "import { notes } from 'src/db/schema/notes.ts'",
    "import { notes } from 'db/schema/notes'",
  ])('stays however it is imported: %s', async (line) => {
    const memory = await projectOf(stateNamed('none sqlite'), { [inProject('src/own/a.mts')]: line })
    await switchTo(memory, 'basic B sqlite')
    expect(tree(memory)).toHaveProperty(['src/db/schema/notes.ts'])
  })

  it.each(['latin1', 'utf16le'] as const)(
    'stays if a file in another encoding imports it: %s',
    async (encoding) => {
      const memory = await projectOf(stateNamed('none sqlite'))
      const text = "// Müller\nimport { notes } from './db/schema/notes.ts'\n"
      memory.volume.writeFileSync(inProject('src/own.ts'), Buffer.from(text, encoding))
      await switchTo(memory, 'basic B sqlite')
      expect(tree(memory)).toHaveProperty(['src/db/schema/notes.ts'])
    },
  )

  it.each(['tsx ./src/commands/user.ts list', 'NODE_ENV=production node dist/commands/user.js list'])(
    'stays if a script of theirs in package.json runs it: %s',
    async (script) => {
      const memory = await projectOf(stateNamed('complete B sqlite'))
      const text = String(memory.fs.readFileSync(inProject('package.json')))
      const scripts = `"scripts": {\n    "ours": "${script}",`
      memory.fs.writeFileSync(inProject('package.json'), text.replace('"scripts": {', scripts))
      const { stdout } = await switchTo(memory, 'none sqlite')
      expect(stdout).toContain('yours now: src/commands/user.ts (named in package.json)\n')
      expect(tree(memory)).not.toHaveProperty(['src/routes/api/v1/auth/login.ts'])
      expect(missingImports(tree(memory))).toEqual([])
    },
  )
})

it('a path that a comment or README names keeps no file', async () => {
  const memory = await projectOf(stateNamed('complete B sqlite'))
  for (const path of ['README.md', 'src/server.ts']) {
    const text = String(memory.fs.readFileSync(inProject(path)))
    memory.fs.writeFileSync(inProject(path), `${text}\n// See \`src/users/names.ts\`.\n`)
  }
  await switchTo(memory, 'none sqlite')
  expect(tree(memory)['src/server.ts']).toContain('// See')
  expect(tree(memory)).not.toHaveProperty(['src/users/names.ts'])
})

describe('an edited file that is no longer generated', () => {
  const edit = (memory: Memory, ...paths: string[]) => {
    for (const path of paths) {
      const text = String(memory.fs.readFileSync(inProject(path)))
      memory.fs.writeFileSync(inProject(path), `${text}\r\nexport const ours = 1\n`)
    }
  }
  const login = 'src/routes/api/v1/auth/login.ts'

  /** Ends a switch that names files which import what is deleted. */
  const accept = async (memory: Memory, state: string) => {
    expect((await switchTo(memory, state)).exitCode).toBe(4)
    const { exitCode, stderr } = await regenerate(memory, ['--continue'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  }

  it('is a conflict as it is if it needs what is deleted, and is merged when it is generated again', async () => {
    const memory = await projectOf(stateNamed('complete B sqlite'))
    edit(memory, login)
    memory.fs.chmodSync(inProject(login), 0o640)
    const before = allFiles(memory)
    const { stdout, stderr, exitCode } = await switchTo(memory, 'none sqlite')
    expect(exitCode).toBe(4)
    expect(stdout).toMatch(
      /CONFLICT: src\/\S+\/login\.ts \(needs \S+, which is deleted: change or delete it\)\n/,
    )
    expect(stderr).toContain(`${login} has conflicts.`)
    expect(tree(memory)[login]).toBe(before[login])
    expect(tree(memory)).not.toHaveProperty(['src/accounts/log-in.ts'])

    expect((await regenerate(memory, ['--continue'])).exitCode).toBe(0)
    expect(tree(memory)[login]).toBe(before[login])
    expect((await regenerate(memory, ['--check'])).exitCode).toBe(0)
    await switchTo(memory, 'complete B sqlite')
    expect(tree(memory)[login]).toBe(before[login])
    expect(memory.volume.statSync(inProject(login)).mode & 0o777).toBe(0o640)
  })

  it('is gone after --continue if the owner deleted it', async () => {
    const memory = await projectOf(stateNamed('basic B sqlite'))
    edit(memory, login)
    expect((await switchTo(memory, 'none sqlite')).exitCode).toBe(4)
    memory.fs.rmSync(inProject(login))
    expect((await regenerate(memory, ['--continue'])).exitCode).toBe(0)
    expect(tree(memory)).toEqual(tree(await projectOf(stateNamed('none sqlite'))))
  })

  it('has markers later if the owner changed what the new mode changes', async () => {
    const memory = await projectOf(stateNamed('basic A sqlite'))
    const path = 'src/accounts/log-in.ts'
    const text = String(memory.fs.readFileSync(inProject(path)))
    const ours = text.replace(/startSession\(ctx.*/, 'ours()')
    memory.fs.writeFileSync(inProject(path), ours)
    await accept(memory, 'none sqlite')
    const { exitCode, stderr } = await switchTo(memory, 'complete A sqlite')
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 4, stderr: expect.stringContaining(path) })
    expect(tree(memory)[path]).toContain('<<<<<<< yours')
    expect((await regenerate(memory, ['--abort'])).exitCode).toBe(0)
    expect(tree(memory)[path]).toBe(ours)
  })

  it.each(['kept', 'deleted', 'deleted, and accepted'])('is as before after --abort: %s', async (what) => {
    const memory = await projectOf(stateNamed('basic B sqlite'))
    edit(memory, login)
    const before = tree(memory)
    await switchTo(memory, 'none sqlite')
    if (what.startsWith('deleted')) memory.fs.rmSync(inProject(login))
    if (what.endsWith('accepted')) expect((await regenerate(memory, ['--continue'])).exitCode).toBe(0)
    expect((await regenerate(memory, ['--abort'])).exitCode).toBe(0)
    expect(tree(memory)).toEqual(before)
  })

  it("stays where it is, with what it needs, if the owner's code imports it", async () => {
    const memory = await projectOf(stateNamed('complete B sqlite'), {
      [inProject('src/ours.ts')]: "import './email/templates.ts'\n",
    })
    edit(memory, 'src/email/templates.ts')
    await switchTo(memory, 'basic B sqlite')
    expect(tree(memory)).toHaveProperty(['src/email/templates.ts'])
    expect(missingImports(tree(memory))).toEqual([])
  })

  it('stays where it is if it defines a table, with the tables that it refers to', async () => {
    const memory = await projectOf(stateNamed('complete B sqlite'))
    edit(memory, 'src/db/schema/refresh-tokens.ts')
    const { stdout } = await switchTo(memory, 'none sqlite')
    expect(stdout).toContain('yours now: src/db/schema/refresh-tokens.ts\n')
    expect(stdout).toContain(
      'yours now: src/db/schema/users.ts (imported by src/db/schema/refresh-tokens.ts)\n',
    )
    expect(missingImports(tree(memory))).toEqual([])
  })

  it('is a conflict too if an earlier switch left it', async () => {
    const memory = await projectOf(stateNamed('complete B sqlite'))
    const reset = 'src/routes/api/v1/auth/reset-password.ts'
    const text = "import '../../../../users/names.ts'\n"
    memory.fs.writeFileSync(inProject(reset), text)
    const first = await switchTo(memory, 'basic B sqlite')
    expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`yours now: ${reset}\n`) })
    const second = await switchTo(memory, 'none sqlite')
    expect(second).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining(`CONFLICT: ${reset} (needs src/users/names.ts, which is deleted:`),
    })
    expect(tree(memory)[reset]).toBe(text)
    expect((await regenerate(memory, ['--continue'])).exitCode).toBe(0)
    expect((await regenerate(memory, ['--check'])).exitCode).toBe(0)
    await switchTo(memory, 'complete B sqlite')
    expect(tree(memory)).toEqual({ ...tree(await projectOf(stateNamed('complete B sqlite'))), [reset]: text })
  })

  it('is a conflict in an update without a switch, too', async () => {
    const report = 'src/reports/report.ts'
    const text = `export const ours = 1\n${(await olderFiles(stateNamed('none sqlite')))[report]}`
    const memory = await olderProject(stateNamed('none sqlite'), { [report]: text })
    expect(await regenerate(memory, [])).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining(
        `${report} (needs src/reports/totals.ts, which is deleted: change or delete it)\n`,
      ),
    })
    expect(tree(memory)[report]).toBe(text)
  })

  it.each([
    ['complete B sqlite', 'basic B sqlite'],
    ['complete A sqlite', 'none sqlite'],
    ['basic B postgres', 'none postgres'],
    ['none sqlite', 'basic A sqlite'],
    ['complete B sqlite', 'complete A sqlite'],
    ['complete B postgres', 'basic A postgres'],
  ])('names each import without its file, and returns with every edit: %s → %s → back', async (from, to) => {
    const [there, back] = [tree(await projectOf(stateNamed(to))), await projectOf(stateNamed(from))]
    const former = Object.keys(tree(back)).filter((path) => /\.[jt]s$/.test(path) && !(path in there))
    expect(former.length).toBeGreaterThan(2)
    edit(back, ...former)
    const before = tree(back)
    const { exitCode, stdout } = await switchTo(back, to)
    const missing = missingImports(tree(back))
    expect(exitCode).toBe(stdout.includes('CONFLICT: ') ? 4 : 0)
    for (const each of missing) expect(stdout).toContain(`CONFLICT: ${each.split(' ')[0]} (needs `)
    if (exitCode === 4) expect((await regenerate(back, ['--continue'])).exitCode).toBe(0)
    expect(await switchTo(back, from)).toMatchObject({ exitCode: 0, stderr: '' })
    expect(tree(back)).toEqual(before)
  })
})

describe("a package that the owner's code imports", () => {
  const packagesOf = (memory: Memory) => {
    const { dependencies, devDependencies } = JSON.parse(tree(memory)['package.json'] ?? '')
    return { ...dependencies, ...devDependencies }
  }

  it.each([
    ['complete B sqlite', 'basic B sqlite', 'nodemailer', ['nodemailer'], ''],
    ['complete B sqlite', 'basic B sqlite', 'nodemailer', ['nodemailer'], '"aaa": "^1.0.0",'],
    ['none sqlite', 'none postgres', 'better-sqlite3', ['better-sqlite3', '@types/better-sqlite3'], ''],
  ])(
    'stays when a switch from %s to %s would remove %s, and the report names it: %j %s',
    async (from, to, name, kept, own) => {
      const memory = await projectOf(stateNamed(from), {
        [inProject('src/own.ts')]: `import * as own from '${name}'\n\nexport const used = own\n`,
      })
      const path = inProject('package.json')
      const rendered = String(memory.volume.readFileSync(path))
      memory.volume.writeFileSync(path, rendered.replace('"dependencies": {', `$&${own && `\n    ${own}`}`))
      const before = { ...packagesOf(memory) }
      const text = tree(memory)['package.json']
      const { stdout, exitCode } = await switchTo(memory, to)
      expect(exitCode).toBe(0)
      for (const each of kept)
        expect(stdout).toContain(`  package.json keeps ${each}, because src/own.ts imports it\n`)
      expect(packagesOf(memory)).toMatchObject(Object.fromEntries(kept.map((each) => [each, before[each]])))
      expect((await regenerate(memory, ['--check'])).exitCode).toBe(0)
      await switchTo(memory, from)
      expect(tree(memory)['package.json']).toBe(text)
    },
  )

  it('is removed if only deleted files import it, or a text mentions it', async () => {
    const memory = await projectOf(stateNamed('complete B sqlite'), {
      [inProject('src/newsletter.ts')]: "export const name = 'nodemailer'\n",
    })
    const { stdout } = await switchTo(memory, 'basic B sqlite')
    expect(stdout).not.toContain('keeps')
    expect(packagesOf(memory)).toEqual(packagesOf(await projectOf(stateNamed('basic B sqlite'))))
  })
})
