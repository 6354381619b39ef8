import { describe, expect, it } from 'vitest'
import { readReleasedPaths } from '../../../../src/update/owner/released-paths.ts'
import { memoryFs } from '../../../support/fixtures.ts'
import { PROJECT, runSmall, type SmallMemory, smallProject } from '../../../support/small-project.ts'

/** A project whose notes.ts the owner edited, and a newer generator that has it elsewhere, or not at all. */
async function afterMove(moved: object, newer: Record<string, string>): Promise<SmallMemory> {
  const memory = await smallProject()
  memory.volume.appendFileSync(`${PROJECT}/src/routes/notes.ts`, 'export const mine = 1\n')
  memory.volume.rmSync('/blueprints/core/none/src/routes/notes.ts')
  memory.volume.fromJSON({ ...newer, '/blueprints/moved.json': JSON.stringify(moved) })
  return memory
}
const MOVED = { 'src/routes/notes.ts': 'src/notes/routes.ts' }
const NEWER = { '/blueprints/core/none/src/notes/routes.ts': 'export const notes = [1]\n' }

describe('an edited file that has another path in a newer version', () => {
  it('is kept, and the report names its new path', async () => {
    const memory = await afterMove(MOVED, NEWER)
    const { stdout, exitCode } = await runSmall(memory, ['regenerate', '--no-install'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('  src/routes/notes.ts: kept; its code is now in src/notes/routes.ts\n')
    expect(memory.volume.readFileSync(`${PROJECT}/src/routes/notes.ts`, 'utf8')).toContain(
      'export const mine = 1\n',
    )
  })

  it('is reported by a dry run and as JSON too', async () => {
    const memory = await afterMove(MOVED, NEWER)
    const plan = await runSmall(memory, ['regenerate', '--check'])
    expect(plan.stdout).toContain('src/routes/notes.ts: kept; its code is now in src/notes/routes.ts\n')
    const { stdout } = await runSmall(memory, ['regenerate', '--no-install', '--json'])
    expect(JSON.parse(stdout).files).toContainEqual({
      ...{ path: 'src/routes/notes.ts', action: 'yours', newHome: 'src/notes/routes.ts' },
    })
  })

  it('has no new path if this project does not have that file', async () => {
    const memory = await afterMove(MOVED, { '/blueprints/core/auth/src/notes/routes.ts': '' })
    const { stdout } = await runSmall(memory, ['regenerate', '--no-install', '--json'])
    expect(JSON.parse(stdout).files).toContainEqual({ path: 'src/routes/notes.ts', action: 'yours' })
  })
})

describe('an edited file that the generator moved', () => {
  const OLD =
    "import { db } from '../db.ts'\n\nexport const list = () => db.all()\n\nexport const count = () => 1\n"
  const NEW = OLD.replace('../db.ts', '../../db.ts').replace('=> 1', '=> 2')
  const OURS = OLD.replace("'../db.ts'\n", "'../db.ts'\nimport { ours } from './ours.ts'\n")

  /** The owner's edit of src/routes/list.ts, which a newer generator has in src/notes/lists/. */
  async function edited(text: string, own: Record<string, string> = {}, moves: object = {}) {
    const memory = await smallProject()
    const { volume } = memory
    const path = `${PROJECT}/.authsmith/base.json`
    const base = JSON.parse(volume.readFileSync(path, 'utf8') as string)
    base.files['src/routes/list.ts'] = OLD
    volume.fromJSON({
      [path]: JSON.stringify(base),
      '/blueprints/core/all/src/notes/lists/list.ts': NEW,
      '/blueprints/moved.json': JSON.stringify({ 'src/routes/list.ts': 'src/notes/lists/list.ts', ...moves }),
      [`${PROJECT}/src/routes/list.ts`]: text,
      ...Object.fromEntries(Object.entries(own).map(([file, its]) => [`${PROJECT}/${file}`, its])),
    })
    return memory
  }
  const read = ({ volume }: SmallMemory, path: string) => volume.readFileSync(`${PROJECT}/${path}`, 'utf8')

  it('has the edit at its new path, with imports that lead to the same files', async () => {
    const memory = await edited(OURS)
    const { stdout, exitCode } = await runSmall(memory, ['regenerate', '--no-install'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain(
      '  merged with your changes: src/notes/lists/list.ts (moved from src/routes/list.ts)\n',
    )
    const imported = "'../../db.ts'\nimport { ours } from '../../routes/ours.ts'\n"
    expect(read(memory, 'src/notes/lists/list.ts')).toBe(NEW.replace("'../../db.ts'\n", imported))
    expect(memory.fs.existsSync(`${PROJECT}/src/routes/list.ts`)).toBe(false)
    expect((await runSmall(memory, ['regenerate', '--check'])).exitCode).toBe(0)
  })

  it.each<[string, string, Record<string, string>, object]>([
    ['both changed the same line', OLD.replace('=> 1', '=> 3'), {}, {}],
    ['the owner has a file there', OURS, { 'src/notes/lists/list.ts': NEW }, {}],
    ['two files became one', OURS, {}, { 'src/routes/other.ts': 'src/notes/lists/list.ts' }],
  ])('stays where it is if %s', async (_, text, own, moves) => {
    const memory = await edited(text, own, moves)
    const { stdout } = await runSmall(memory, ['regenerate', '--no-install'])
    expect(stdout).toContain('  src/routes/list.ts: kept; its code is now in src/notes/lists/list.ts\n')
    expect(read(memory, 'src/routes/list.ts')).toBe(text)
    expect(read(memory, 'src/notes/lists/list.ts')).toBe(NEW)
  })

  it('stays too if code of the owner imports it', async () => {
    const memory = await edited(OURS, { 'src/routes/mine.ts': "import { list } from './list.ts'\n" })
    const { stdout } = await runSmall(memory, ['regenerate', '--no-install'])
    expect(stdout).toContain(
      'src/routes/list.ts: kept (imported by src/routes/mine.ts); its code is now in src/notes/lists/list.ts\n',
    )
    expect(read(memory, 'src/routes/list.ts')).toBe(OURS)
    expect(read(memory, 'src/notes/lists/list.ts')).toContain("'../../routes/ours.ts'")
  })

  it('keeps what the edit imports, also at its new path', async () => {
    const memory = await edited(OURS.replace('./ours.ts', './notes.ts'))
    memory.volume.rmSync('/blueprints/core/none/src/routes/notes.ts')
    const { stdout } = await runSmall(memory, ['regenerate', '--no-install'])
    expect(stdout).toContain('src/routes/notes.ts (imported by src/notes/lists/list.ts)\n')
    expect(read(memory, 'src/notes/lists/list.ts')).toContain("'../../routes/notes.ts'")
    expect(memory.fs.existsSync(`${PROJECT}/src/routes/notes.ts`)).toBe(true)
  })
})

describe('moved.json', () => {
  it.each([
    ['a list', '[]'],
    ['a path that leaves the project', '{"../a.ts":"a.ts"}'],
    ['a new home that leaves the project', '{"a.ts":"/etc/passwd"}'],
    ['no path', '{"a.ts":1}'],
  ])('is refused: %s', (_, text) => {
    const { fs } = memoryFs({ '/blueprints/moved.json': text })
    expect(() => readReleasedPaths(fs, '/blueprints')).toThrow(/^(must contain|is damaged)/)
  })
})
