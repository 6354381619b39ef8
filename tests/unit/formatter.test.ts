import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run as runProgram } from '../../src/run.ts'
import { fakeRun, filesIn, runCommand } from './fixtures.ts'
import { PROJECT, runSmall, type SmallMemory, smallProject } from './small-project.ts'

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
  it('is no edit: such files are updated, in the same layout, and deleted', async () => {
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

  it('is none for status either', async () => {
    const memory = await formattedProject('"')
    memory.volume.appendFileSync(`${PROJECT}/src/db.ts`, 'export const ours = 1\n')
    const { stdout } = await runSmall(memory, ['status', '--json'], { run: fakeFormatter(memory) })
    expect(JSON.parse(stdout)).toMatchObject({ edited: ['src/db.ts'], notes: [] })
  })

  it('counts as edits where it is not installed, and that is said', async () => {
    const memory = await formattedProject('"')
    memory.volume.rmSync(`${PROJECT}/node_modules`, { recursive: true })
    const { stdout } = await runSmall(memory, BASIC_B)
    expect(stdout).toContain(
      'the formatter is not installed, so that a file which only it changed counts as edited\n',
    )
    expect(stdout).toContain('CONFLICT: src/app.ts\n')
  })

  it('counts as edits where it fails, and that is said', async () => {
    const memory = await formattedProject('"')
    const { run } = fakeRun(() => ({ ok: false, output: 'bad configuration\n  more' }))
    const { stdout } = await runSmall(memory, BASIC_B, { run })
    expect(stdout).toContain('counts as edited: bad configuration\n')
    expect(memory.fs.readdirSync('/tmp')).toEqual([])
  })

  it('is not asked for where nobody edited anything', async () => {
    const memory = await smallProject()
    memory.volume.fromJSON({ [`${PROJECT}/biome.json`]: '{}', [`${PROJECT}/node_modules/.bin/biome`]: '' })
    const { run, lines } = fakeRun()
    await runSmall(memory, BASIC_B, { run })
    expect(lines).toEqual([])
  })
})

describe('with Biome itself', () => {
  let folder: string
  beforeAll(() => {
    folder = nodeFs.mkdtempSync(join(tmpdir(), 'authsmith-formatter-'))
  })
  afterAll(() => nodeFs.rmSync(folder, { recursive: true, force: true }))

  it('a project of tabs and double quotes is switched with its one edit, and nothing else', {
    timeout: 60_000,
  }, async () => {
    const real = { fs: nodeFs, run: runProgram, temporary: folder, blueprints: resolve('blueprints') }
    await runCommand(['my-api', '-m', 'basic', '-p', 'A', '--no-install', '--no-git'], {
      ...real,
      cwd: folder,
    })
    const project = join(folder, 'my-api')
    const read = (path: string) => nodeFs.readFileSync(join(project, path), 'utf8')
    nodeFs.symlinkSync(resolve('node_modules'), join(project, 'node_modules'))
    const style = read('biome.json')
      .replace('"space", "indentWidth": 2', '"tab"')
      .replace('"single"', '"double"')
    expect(style).toContain('"tab"')
    nodeFs.writeFileSync(join(project, 'biome.json'), style)
    const biome = (...args: string[]) =>
      runProgram(join(project, 'node_modules/.bin/biome'), args, {
        cwd: project,
        signal: new AbortController().signal,
      })
    expect(await biome('format', '--write', '.')).toMatchObject({ ok: true })
    const login = 'src/routes/api/v1/auth/login.ts'
    nodeFs.writeFileSync(join(project, login), read(login).replace('\tapp.post(', '\t// ours\n\tapp.post('))

    // More than the umask leaves to a new file.
    nodeFs.chmodSync(join(project, login), 0o666)
    const { stdout, exitCode } = await runCommand(
      ['regenerate', '-m', 'complete', '--no-install', '--json'],
      { ...real, cwd: project },
    )
    expect(exitCode).toBe(0)
    const { files } = JSON.parse(stdout)
    const paths = (action: string) =>
      files
        .filter((file: { action: string }) => file.action === action)
        .map(({ path }: { path: string }) => path)
    expect([paths('merge'), paths('edited'), paths('yours')]).toEqual([[login], ['biome.json'], []])
    expect(read(login)).toContain('\t// ours\n\tapp.post(\n')
    expect(nodeFs.statSync(join(project, login)).mode & 0o777).toBe(0o666)
    expect(await biome('format', '.')).toMatchObject({ ok: true })
    expect(nodeFs.readdirSync(folder)).toEqual(['my-api'])
  })
})
