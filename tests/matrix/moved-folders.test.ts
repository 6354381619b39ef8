// Covers src/update/owner/owner-moves.ts: owners who moved whole folders of a project.
import { describe, expect, it } from 'vitest'
import type { Answers } from '../../src/answers/answers.ts'
import { withImports } from '../../src/update/owner/owner-moves.ts'
import { editOnDisk } from './owner-edits.ts'
import { allFiles, flagsOf, type Memory, projectOf, regenerate, run, stateNamed, tree } from './project.ts'

type Files = Record<string, string>
const B: Answers = { ...stateNamed('complete B sqlite'), addOns: ['pages'] }
const MORE: Answers = { ...B, addOns: ['admin', 'metrics', 'pages'] }
const A: Answers = { ...stateNamed('complete A sqlite'), addOns: ['pages'] }
const NONE = stateNamed('none sqlite')

/** As `git mv` and an editor move folders, with all imports. */
function moved(files: Files, folders: Record<string, string>): Files {
  const paths = Object.keys(files)
  const homeOf = (path: string) => {
    const [from, to] = Object.entries(folders).find(([folder]) => path.startsWith(`${folder}/`)) ?? []
    return from === undefined ? path : to + path.slice(from.length)
  }
  const homes = new Map(paths.map((path) => [path, homeOf(path)]))
  return Object.fromEntries(paths.map((path) => [homeOf(path), withImports(path, homes, files[path] ?? '')]))
}

const move = (memory: Memory, folders: Record<string, string>) =>
  editOnDisk(memory, (files) => {
    const own = Object.entries(files).filter(([path]) => !/^(?:\.authsmith|migrations|\.env$)/.test(path))
    const after = moved(Object.fromEntries(own), folders)
    for (const [path] of own) delete files[path]
    Object.assign(files, after)
  })

const switchTo = (memory: Memory, to: Answers) => {
  const others = ['admin', 'metrics', 'pages'].filter((addOn) => !to.addOns.some((one) => one === addOn))
  const [add, remove] = [to.addOns.join(), others.join()]
  const list = [
    ...(add ? ['--add', add] : []),
    ...(remove && to.mode === 'complete' ? ['--remove', remove] : []),
  ]
  return regenerate(memory, [...flagsOf(to), ...list])
}

const CASES: [string, Record<string, string>][] = [
  ['docs', { docs: 'documentation' }],
  ['test', { test: 'spec/all' }],
  ['emails', { emails: 'src/email/templates' }],
  ['pages', { pages: 'web' }],
  [
    'docs, test, emails and pages',
    { docs: 'documentation', test: 'tests', emails: 'mails', pages: 'web/pages' },
  ],
  ['a folder in another', { 'test/support': 'test/helpers/support', 'pages/account': 'pages/profile' }],
  ['a folder of src/', { 'src/routes': 'src/http/routes' }],
  ['src/', { src: 'server/source' }],
]

/** Every run tests these. */
const EVERY_RUN = /,|another|folder of src/

describe.each(CASES.filter(([name]) => process.env.TEST_ALL || EVERY_RUN.test(name)))(
  'an owner who moved %s',
  (_, folders) => {
    it.each<[string, Answers, Answers]>([
      ['an add-on is added', B, MORE],
      ['the profile is switched', B, A],
      ['the mode is switched, and all of a folder goes', B, NONE],
    ])('gets new files there, and loses those that go: %s, and back', async (_, from, to) => {
      const memory = await projectOf(from)
      move(memory, folders)
      expect((await run(memory, ['regenerate', '--check'])).stdout).toContain('nothing to do')
      const before = tree(memory)
      const { exitCode, stdout } = await switchTo(memory, to)
      expect(exitCode, stdout).toBe(0)
      expect(stdout).not.toContain('deleted by you')
      expect(stdout).not.toMatch(/yours now|which you/)
      expect(tree(memory)).toEqual(moved(tree(await projectOf(to)), folders))
      if (to === MORE) {
        const docs = folders.docs ?? 'docs'
        expect(stdout).toContain(`Read ${docs}/admin.md, ${docs}/metrics.md.`)
      }
      const back = await switchTo(memory, from)
      expect(back.exitCode, back.stdout).toBe(0)
      expect(tree(memory)).toEqual(before)
    })
  },
)

describe('an owner who moved folders', () => {
  it('has them followed beside edits and renamed files, and after a second move', async () => {
    const memory = await projectOf(B)
    move(memory, { docs: 'documentation', emails: 'mails' })
    editOnDisk(memory, (files) => {
      files['documentation/operations.md'] = files['documentation/deploy.md'] ?? ''
      delete files['documentation/deploy.md']
      files['mails/layout.mustache'] = `<p>Shop</p>\n${files['mails/layout.mustache']}`
    })
    expect((await switchTo(memory, NONE)).exitCode).toBe(0)
    expect((await switchTo(memory, B)).exitCode).toBe(0)
    move(memory, { documentation: 'guides' })
    expect((await switchTo(memory, MORE)).exitCode).toBe(0)
    const paths = Object.keys(tree(memory))
    expect(paths).toEqual(expect.arrayContaining(['guides/metrics.md', 'guides/operations.md']))
    expect(paths.filter((path) => /^(?:docs|documentation|emails)\/|deploy\.md/.test(path))).toEqual([])
    expect(tree(memory)['mails/layout.mustache']).toContain('<p>Shop</p>')
  })

  it('gets every byte back with --abort, and the old paths after moving back', async () => {
    const memory = await projectOf(B)
    move(memory, { docs: 'documentation' })
    const before = allFiles(memory)
    expect((await switchTo(memory, MORE)).exitCode).toBe(0)
    expect((await regenerate(memory, ['--abort'])).exitCode).toBe(0)
    expect(allFiles(memory)).toEqual(before)
    await switchTo(memory, MORE)
    move(memory, { documentation: 'docs' })
    expect((await switchTo(memory, B)).exitCode).toBe(0)
    expect(tree(memory)).toEqual(tree(await projectOf(B)))
  })

  it('has new files nowhere if a folder was deleted, and at the old path if only some of it moved', async () => {
    const memory = await projectOf(B)
    editOnDisk(memory, (files) => {
      for (const path of Object.keys(files)) if (path.startsWith('docs/')) delete files[path]
    })
    expect((await switchTo(memory, MORE)).stdout).toContain('deleted by you, stays deleted: docs/metrics.md')
    const some = await projectOf(B)
    move(some, { 'docs/deploy.md': 'x' })
    editOnDisk(some, (files) => {
      files['guides/deploy.md'] = files['docs/deploy.md'] ?? ''
      delete files['docs/deploy.md']
    })
    await switchTo(some, MORE)
    expect(Object.keys(tree(some))).toEqual(expect.arrayContaining(['docs/metrics.md', 'guides/deploy.md']))
  })
})
