import { describe, expect, it } from 'vitest'
import { readMoved } from '../../../src/update/moved.ts'
import { memoryFs } from '../../support/fixtures.ts'
import { PROJECT, runSmall, type SmallMemory, smallProject } from '../../support/small-project.ts'

/** A project whose notes.ts the owner edited, and a newer generator that has it elsewhere, or not at all. */
async function afterMove(moved: object, newer: Record<string, string>): Promise<SmallMemory> {
  const memory = await smallProject()
  memory.volume.appendFileSync(`${PROJECT}/src/routes/notes.ts`, '// mine\n')
  memory.volume.rmSync('/blueprints/none/src/routes/notes.ts')
  memory.volume.fromJSON({ ...newer, '/blueprints/moved.json': JSON.stringify(moved) })
  return memory
}
const MOVED = { 'src/routes/notes.ts': 'src/notes/routes.ts' }
const NEWER = { '/blueprints/none/src/notes/routes.ts': 'export const notes = [1]\n' }

describe('an edited file that has another path in a newer version', () => {
  it('is kept, and the report names its new path', async () => {
    const memory = await afterMove(MOVED, NEWER)
    const { stdout, exitCode } = await runSmall(memory, ['regenerate', '--no-install'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('  src/routes/notes.ts: kept; its code is now in src/notes/routes.ts\n')
    expect(memory.volume.readFileSync(`${PROJECT}/src/routes/notes.ts`, 'utf8')).toContain('// mine\n')
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
    const memory = await afterMove(MOVED, { '/blueprints/auth/src/notes/routes.ts': '' })
    const { stdout } = await runSmall(memory, ['regenerate', '--no-install', '--json'])
    expect(JSON.parse(stdout).files).toContainEqual({ path: 'src/routes/notes.ts', action: 'yours' })
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
    expect(() => readMoved(fs, '/blueprints')).toThrow(/^(must contain|is damaged)/)
  })
})
