// Covers src/update/plan/next-base.ts and src/update/files/passes.ts.
import { describe, expect, it } from 'vitest'
import type { Answers } from '../../src/answers/answers.ts'
import { isSameExceptComments } from '../../src/merge/layout.ts'
import { addOwnMigration, EDITS, editOnDisk } from './owner-edits.ts'
import {
  allFiles,
  flagsOf,
  freshTree,
  type Memory,
  nameOf,
  projectOf,
  regenerate,
  stateNamed,
  tree,
} from './project.ts'

/** Every kind of switch, in both directions. */
const EDGES = [
  ['none sqlite', 'basic B sqlite'],
  ['basic A sqlite', 'complete A sqlite'],
  ['none postgres', 'complete B postgres'],
  ['basic A sqlite', 'basic B sqlite'],
  ['complete A postgres', 'complete B postgres'],
  ['complete B sqlite', 'complete B postgres'],
  ['none sqlite', 'none postgres'],
  ['basic B sqlite', 'complete A postgres'],
].flatMap(([a = '', b = '']) => [
  { from: stateNamed(a), to: stateNamed(b), title: `${a} → ${b}` },
  { from: stateNamed(b), to: stateNamed(a), title: `${b} → ${a}` },
])

type Files = Record<string, string>
type Edit = (files: Files) => void

/**
 * The expected project: a fresh one with the same edits, plus the files that the owner added or moved,
 * plus the files that are no longer generated, if more than comments was edited.
 */
function expectedTree(before: Files, edited: Files, fresh: Files, edit: Edit): Files {
  const editedFresh = { ...fresh }
  edit(editedFresh)
  const expected = { ...fresh }
  for (const path of Object.keys({ ...before, ...edited })) {
    const [old, now] = [before[path], edited[path]]
    if (old === now) continue
    if (now === undefined) delete expected[path]
    else if (editedFresh[path] !== undefined || !isSameExceptComments(path, old ?? '', now))
      expected[path] = editedFresh[path] ?? now
  }
  return expected
}

const allEdits: Edit = (files) => {
  for (const edit of Object.values(EDITS)) edit(files)
}

/** Switches. The only conflicts are edited files that need what is deleted: the owner accepts them as they are. */
async function switchTo(memory: Memory, to: Answers) {
  const { exitCode, stdout } = await regenerate(memory, flagsOf(to))
  const conflicts = stdout.match(/CONFLICT: .*/g) ?? []
  for (const conflict of conflicts)
    expect(conflict).toMatch(/ \(needs \S+, which is deleted: change or delete it\)$/)
  expect(exitCode).toBe(conflicts.length > 0 ? 4 : 0)
  if (exitCode === 4) expect((await regenerate(memory, ['--continue'])).exitCode).toBe(0)
}

async function expectSurvival(from: Answers, to: Answers, edit: Edit, own: Edit = () => {}) {
  const memory = await projectOf(from)
  const before = tree(memory)
  editOnDisk(memory, edit)
  editOnDisk(memory, own)
  const edited = allFiles(memory)
  const expected = expectedTree(before, tree(memory), freshTree(to), edit)
  await switchTo(memory, to)
  expect(tree(memory)).toEqual(expected)
  return { memory, edited }
}

describe("an owner's edits survive without conflicts", () => {
  const edges = [
    [stateNamed('basic A sqlite'), stateNamed('complete B postgres')],
    [stateNamed('complete B sqlite'), stateNamed('none sqlite')],
  ] as const
  const edits = Object.entries(EDITS)
  it.each(
    edges.flatMap(([from, to]) =>
      edits.map(([name, edit]) => ({ name, edit, from, to, title: `${nameOf(from)} → ${nameOf(to)}` })),
    ),
  )('$name: $title', async ({ from, to, edit }) => {
    await expectSurvival(from, to, edit)
  })

  it.each(EDGES)('all of them together, with a custom migration: $title', async ({ from, to }) => {
    const own: Edit = (files) => addOwnMigration(files, from.database)
    const { memory, edited } = await expectSurvival(from, to, allEdits, own)
    const switched = allFiles(memory)
    const journal = `migrations/${from.database}/meta/_journal.json`
    for (const [path, text] of Object.entries(edited)) {
      if (path.startsWith('migrations/') && path !== journal) expect(switched[path]).toBe(text)
    }
    const entries = (text = '') => JSON.parse(text).entries
    expect(entries(edited[journal])).toHaveLength(2)
    expect(entries(switched[journal]).slice(0, 2)).toEqual(entries(edited[journal]))
    const secrets = edited['.env']?.match(/^\w+_KEY=.{43}$/gm) ?? []
    for (const secret of secrets) expect(switched['.env']).toContain(secret.split('=')[1])
  })

  it.each(EDGES)('all of them, after a switch there and back: $title', async ({ from, to }) => {
    const memory = await projectOf(from)
    editOnDisk(memory, allEdits)
    const edited = tree(memory)
    for (const answers of [to, from]) await switchTo(memory, answers)
    expect(tree(memory)).toEqual(edited)
  })
})

describe('a file that is generated again', () => {
  const flags = (name: string) => flagsOf(stateNamed(name))
  const users = '/work/my-api/src/db/schema/users.ts'

  it('is created again if the owner deleted only the leftover file', async () => {
    const memory = await projectOf(stateNamed('basic A sqlite'))
    const fresh = memory.volume.readFileSync(users, 'utf8') as string
    memory.volume.writeFileSync(users, `${fresh}export const ours = 1\n`)
    const { stdout } = await regenerate(memory, flags('none sqlite'))
    expect(stdout).toContain('no longer generated, yours now: src/db/schema/users.ts')
    memory.volume.rmSync(users)
    expect((await regenerate(memory, flags('basic A sqlite'))).exitCode).toBe(0)
    expect(memory.volume.readFileSync(users, 'utf8')).toBe(fresh)
  })

  it("stays deleted if the owner deleted it, and conflicts with an owner's file at its path", async () => {
    const memory = await projectOf(stateNamed('basic A sqlite'))
    memory.volume.rmSync(users)
    await regenerate(memory, flags('none sqlite'))
    const own = await projectOf(stateNamed('basic A sqlite'))
    own.volume.rmSync(users)
    await regenerate(own, flags('none sqlite'))
    own.volume.writeFileSync(users, 'export const ours = 1\n')

    const { stdout, exitCode } = await regenerate(memory, flags('basic B sqlite'))
    expect({ stdout, exitCode }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('stays deleted: src/db/schema/users.ts'),
    })
    expect(memory.fs.existsSync(users)).toBe(false)
    expect((await regenerate(own, flags('basic B sqlite'))).exitCode).toBe(4)
    expect(own.volume.readFileSync(users, 'utf8')).toContain('<<<<<<< yours\nexport const ours = 1\n')
  })
})

describe('a folder whose generated files the owner deleted', () => {
  const without = (folder: string) => (files: Files) => {
    for (const path of Object.keys(files)) if (path.startsWith(folder)) delete files[path]
  }
  const below = (memory: Memory, folder: string) =>
    Object.keys(tree(memory)).filter((path) => path.startsWith(folder))

  it('stays deleted through switches, and gets no new file', async () => {
    const memory = await projectOf(stateNamed('basic B sqlite'))
    editOnDisk(memory, without('test/'))
    editOnDisk(memory, (files) => {
      files['test/own.test.ts'] = "import { test } from 'vitest'\n\ntest.todo('own')\n"
    })
    for (const state of ['complete B sqlite', 'complete A sqlite', 'none sqlite', 'complete B sqlite']) {
      const { exitCode, stdout } = await regenerate(memory, flagsOf(stateNamed(state)))
      expect(exitCode).toBe(0)
      expect(stdout).toContain('deleted by you, stays deleted: test/')
      expect(below(memory, 'test/')).toEqual(['test/own.test.ts'])
    }
  })

  it('gets new files if they deleted only one file, or some', async () => {
    const memory = await projectOf(stateNamed('none sqlite'))
    editOnDisk(memory, without('src/notes/'))
    editOnDisk(memory, without('test/http/'))
    await regenerate(memory, flagsOf(stateNamed('complete B sqlite')))
    expect(below(memory, 'test/http/')).toEqual([])
    expect(below(memory, 'test/sessions/')).not.toEqual([])
    expect(below(memory, 'src/sessions/')).not.toEqual([])
  })

  it('gets new files where the owner moved it to in src/, and the rest finds them', async () => {
    const [basic, complete] = [stateNamed('basic B sqlite'), stateNamed('complete B sqlite')]
    const memory = await projectOf(basic)
    editOnDisk(memory, (files) => {
      for (const [path, text] of Object.entries(files)) {
        if (!/^src\/(accounts|jobs)\//.test(path)) continue
        files[path.replace('src/', 'src/lib/')] = text.replace(/(from '\.\.\/)(?!accounts|jobs)/g, '$1../')
        delete files[path]
      }
    })
    const { stdout } = await regenerate(memory, flagsOf(complete))
    const [present, after] = [tree(await projectOf(basic)), tree(memory)]
    const added = Object.keys(tree(await projectOf(complete))).filter((path) => !(path in present))
    expect(added.filter((path) => path.startsWith('src/accounts/'))).not.toEqual([])
    const moved = added.map((path) => path.replace(/^src\/(?=(?:accounts|jobs)\/)/, 'src/lib/'))
    expect(moved.filter((path) => !(path in after))).toEqual([])
    expect(after).not.toHaveProperty(['src/accounts/register.ts'])
    // The changes of the moved files themselves are merged where they are.
    expect(stdout).not.toMatch(/CONFLICT|stays deleted/)
    const fresh = tree(await projectOf(complete))['src/accounts/register.ts'] ?? ''
    expect(fresh).not.toBe(present['src/accounts/register.ts'])
    const body = (text = '') => text.replace(/^import .*\n/gm, '')
    expect(body(after['src/lib/accounts/register.ts'])).toBe(body(fresh))
  })
})

describe('a conflict is reported', () => {
  it.each(EDGES)(
    "for an owner's file at the path of a new file, and for nothing else: $title",
    async ({ from, to }) => {
      const present = tree(await projectOf(from))
      const path = Object.keys(tree(await projectOf(to))).find(
        (name) => name.endsWith('.ts') && !(name in present),
      )
      if (path === undefined) return
      const memory = await projectOf(from, {
        [`/work/my-api/${path}`]: 'export const mine = 1\n// mine too\n',
      })
      const before = allFiles(memory)
      const { exitCode, stderr, stdout } = await regenerate(memory, flagsOf(to))
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 4,
        stderr: expect.stringContaining(`${path} has conflicts`),
      })
      expect(stdout).toContain(`CONFLICT: ${path}`)
      const label = [to.mode, to.profile].filter(Boolean).join(' ')
      const text = allFiles(memory)[path] ?? ''
      expect(text).toContain('<<<<<<< yours\nexport const mine = 1\n// mine too\n=======\n')
      expect(text).toContain(`>>>>>>> create-authsmith: ${label}\n`)

      expect((await regenerate(memory, ['--abort'])).exitCode).toBe(0)
      const { '.authsmith/.gitignore': _, ...after } = allFiles(memory)
      expect({ ...after, '.authsmith/.gitignore': before['.authsmith/.gitignore'] }).toEqual(before)
    },
  )

  it('for lines that both sides changed', async () => {
    const memory = await projectOf(stateNamed('basic A sqlite'))
    const path = 'src/accounts/log-in.ts'
    editOnDisk(memory, (files) => {
      files[path] = files[path]?.replace('return { tokens: startSession(ctx, user) }', 'const ours = 1') ?? ''
      expect(files[path]).toContain('const ours = 1')
    })
    const { exitCode, stderr } = await regenerate(memory, ['--mode', 'complete'])
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('log-in.ts has conflicts'),
    })
    expect(allFiles(memory)[path]).toMatch(
      /<<<<<<< yours\n[^<]*const ours = 1\n=======\n[^<]*openSession\(ctx, tx, \{ user: rehashed, client \}\)\n>>>>>>> create-authsmith: complete A\n/,
    )
  })
})
