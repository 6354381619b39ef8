// Covers src/update/compare.ts.
import { describe, expect, it } from 'vitest'
import { fakeRun, filesIn } from '../../support/fixtures.ts'
import { PROJECT, runSmall, type SmallMemory, smallProject } from '../../support/small-project.ts'

const BASIC_B = ['regenerate', '--mode', 'basic', '--profile', 'B', '--no-install']

/** A formatter that indents as biome.json says, run like Biome: in a folder, on all files below it. */
function fakeFormatter({ volume }: SmallMemory) {
  return async (_: string, __: readonly string[], { cwd }: { cwd: string }) => {
    const { sign } = JSON.parse(volume.readFileSync(`${cwd}/biome.json`, 'utf8') as string)
    const paths = Object.keys(volume.toJSON(cwd)).filter((path) => path.endsWith('.ts'))
    for (const path of paths) {
      const text = volume.readFileSync(path, 'utf8') as string
      volume.writeFileSync(path, text.replaceAll(/["']/g, sign))
    }
    return { ok: true, output: '' }
  }
}

async function formattedProject(sign: string) {
  const memory = await smallProject()
  memory.volume.fromJSON({
    [`${PROJECT}/biome.json`]: JSON.stringify({ sign }),
    [`${PROJECT}/node_modules/.bin/biome`]: '',
  })
  for (const path of ['src/app.ts', 'src/db.ts', 'src/routes/notes.ts']) {
    const text = memory.volume.readFileSync(`${PROJECT}/${path}`, 'utf8') as string
    memory.volume.writeFileSync(`${PROJECT}/${path}`, text.replaceAll("'", sign))
  }
  return memory
}

describe("a run of the project's formatter", () => {
  it('is not an edit: such files are updated, in the same layout, and deleted', async () => {
    const memory = await formattedProject('"')
    memory.volume.writeFileSync('/blueprints/sqlite/src/db.ts', "export const dialect = 'SQLite'\n")
    const { exitCode, stdout } = await runSmall(memory, BASIC_B, { run: fakeFormatter(memory) })
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.not.stringContaining('merged') })
    const files = filesIn(memory, PROJECT)
    expect(files['src/db.ts']).toBe('export const dialect = "SQLite"\n')
    expect(files['src/app.ts']).toContain('export const name = "my-api"\n')
    expect(files).not.toHaveProperty(['src/routes/notes.ts'])
    expect(memory.fs.readdirSync('/tmp')).toEqual([])
  })

  it('is not an edit for status either', async () => {
    const memory = await formattedProject('"')
    memory.volume.appendFileSync(`${PROJECT}/src/db.ts`, 'export const ours = 1\n')
    const { stdout } = await runSmall(memory, ['status', '--json'], { run: fakeFormatter(memory) })
    expect(JSON.parse(stdout)).toMatchObject({ edited: ['src/db.ts'], notes: [] })
  })

  it('counts as edits if the formatter is not installed, with a note', async () => {
    const memory = await formattedProject('"')
    memory.volume.rmSync(`${PROJECT}/node_modules`, { recursive: true })
    const { stdout } = await runSmall(memory, BASIC_B)
    expect(stdout).toContain(
      'The formatter is not installed: a file that only the formatter changed counts as edited.\n',
    )
    expect(stdout).toContain('CONFLICT: src/app.ts\n')
  })

  it('counts as edits if the formatter fails, with a note', async () => {
    const memory = await formattedProject('"')
    const { run } = fakeRun(() => ({ ok: false, output: 'bad configuration\n  more' }))
    const { stdout } = await runSmall(memory, BASIC_B, { run })
    expect(stdout).toContain(
      'The formatter failed: a file that only the formatter changed counts as edited. bad configuration\n',
    )
    expect(memory.fs.readdirSync('/tmp')).toEqual([])
  })

  it('is skipped if no file was edited', async () => {
    const memory = await smallProject()
    memory.volume.fromJSON({ [`${PROJECT}/biome.json`]: '{}', [`${PROJECT}/node_modules/.bin/biome`]: '' })
    const { run, lines } = fakeRun()
    await runSmall(memory, BASIC_B, { run })
    expect(lines).toEqual([])
  })
})
