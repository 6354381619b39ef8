// Covers src/tools/formatter.ts with a real formatter.
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run as runProgram } from '../../src/system/run.ts'
import { runCommand } from '../support/fixtures.ts'

describe('with Biome itself', () => {
  let folder: string
  beforeAll(() => {
    folder = nodeFs.mkdtempSync(join(tmpdir(), 'authsmith-formatter-'))
  })
  afterAll(() => nodeFs.rmSync(folder, { recursive: true, force: true }))

  it('a project of tabs and double quotes is switched with its one edit, and nothing else', async () => {
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

    // More permissions than the umask allows for a new file.
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
