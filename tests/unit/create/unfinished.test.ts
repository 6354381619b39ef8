import { describe, expect, it } from 'vitest'
import { fakeRun, memoryFs, runCommand } from '../../support/fixtures.ts'

const CREATE = ['my-api', '--yes']

/** A project whose installation was interrupted. */
async function interrupted() {
  const memory = memoryFs()
  const interruption = new AbortController()
  const { run } = fakeRun((line) => {
    if (line.startsWith('npm')) interruption.abort()
    return { ok: false }
  })
  const outcome = await runCommand(CREATE, { fs: memory.fs, run, signal: interruption.signal })
  expect(outcome.exitCode).toBe(130)
  const { run: runAgain, lines } = fakeRun()
  const again = (argv: readonly string[] = ['my-api']) => runCommand(argv, { fs: memory.fs, run: runAgain })
  return { ...memory, again, lines, stderr: outcome.stderr, path: '/work/my-api' }
}

const refused = {
  exitCode: 3,
  stderr: expect.stringContaining('run `create-authsmith regenerate`'),
}

describe('an interrupted creation', () => {
  it('names the commands that finish it', async () => {
    const { stderr } = await interrupted()
    expect(stderr).toContain(
      'To finish, run: cd my-api && npm install && git init && git add --all && git commit -m "Initial commit"\n',
    )
  })

  it.each([
    ['the directory', ['my-api']],
    ['the same command', CREATE],
    ['the same answers', ['my-api', '--mode', 'complete', '--profile', 'b']],
  ])('goes on with %s, without a question', async (_, argv) => {
    const { again, lines, volume } = await interrupted()
    const before = volume.toJSON()
    const { exitCode, stdout } = await again(argv)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Continuing with \/work\/my-api \(complete, B, sqlite\)/)
    expect(lines).toEqual(expect.arrayContaining(['npm install', expect.stringContaining('commit')]))
    expect(volume.toJSON()).toEqual(before)
  })

  it('goes on with the remaining answers of a file and in JSON', async () => {
    const { again } = await interrupted()
    const { stdout } = await again(['my-api', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, files: [], answers: { mode: 'complete' } })
  })

  it('is not continued with other answers', async () => {
    const { again, lines } = await interrupted()
    expect(await again(['my-api', '--mode', 'basic', '--yes'])).toMatchObject(refused)
    expect(lines).toEqual([])
  })

  it('is not continued if a file was changed or deleted', async () => {
    const { again, fs, path } = await interrupted()
    fs.writeFileSync(`${path}/package.json`, `${fs.readFileSync(`${path}/package.json`, 'utf8')}\n`)
    expect(await again()).toMatchObject(refused)
    fs.rmSync(`${path}/package.json`)
    expect(await again()).toMatchObject(refused)
  })

  it('is continued with an edited .env and a file of the owner', async () => {
    const { again, fs, path } = await interrupted()
    fs.writeFileSync(`${path}/.env`, 'PORT=4000\n')
    fs.writeFileSync(`${path}/notes.txt`, '')
    expect((await again()).exitCode).toBe(0)
  })

  it('is not continued after the installation', async () => {
    const { again, fs, path } = await interrupted()
    fs.mkdirSync(`${path}/node_modules`)
    expect((await again()).exitCode).toBe(0)
    fs.writeFileSync(`${path}/node_modules/.package-lock.json`, '{}')
    expect(await again()).toMatchObject(refused)
  })

  it.each([
    ['a damaged manifest', 'manifest.json', '{'],
    ['a damaged base', 'base.json', '{}'],
  ])('is not continued with %s', async (_, file, text) => {
    const { again, fs, path } = await interrupted()
    fs.writeFileSync(`${path}/.authsmith/${file}`, text)
    expect(await again()).toMatchObject(refused)
  })

  it('is not continued through a symbolic link', async () => {
    const { again, volume } = await interrupted()
    volume.symlinkSync('/work/my-api', '/work/link')
    const { exitCode, stderr } = await again(['link', '--yes'])
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('symbolic link'),
    })
  })

  it('is not looked for below a file', async () => {
    const { again, fs } = await interrupted()
    fs.writeFileSync('/work/file', '')
    for (const target of ['file', 'file/my-api'])
      expect(await again([target, '--yes'])).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining('not a directory'),
      })
  })

  it('is not looked for in the parent folder', async () => {
    const { again, fs, path } = await interrupted()
    fs.mkdirSync(`${path}/packages/other`, { recursive: true })
    fs.writeFileSync(`${path}/packages/other/index.js`, '')
    const { exitCode, stderr } = await again(['my-api/packages/other', '--yes'])
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('is not empty'),
    })
  })
})
