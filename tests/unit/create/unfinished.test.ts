import { describe, expect, it } from 'vitest'
import type { System } from '../../../src/system/system.ts'
import { fakeRun, memoryFs, runCommand } from '../../support/fixtures.ts'

const CREATE = ['my-api', '--yes']
const MARKER = '/work/my-api/.authsmith/unfinished.tmp'

/** A project whose installation, or whose first commit, was interrupted. */
async function interrupted(program: 'npm' | 'git' = 'npm') {
  const memory = memoryFs()
  const interruption = new AbortController()
  const { run } = fakeRun((line) => {
    if (program === 'npm' ? line.startsWith('npm') : line.includes(' commit ')) interruption.abort()
    return { ok: program === 'git' && !interruption.signal.aborted }
  })
  const outcome = await runCommand(CREATE, { fs: memory.fs, run, signal: interruption.signal })
  expect(outcome.exitCode).toBe(130)
  const { run: runAgain, lines } = fakeRun()
  const again = (argv: readonly string[] = ['my-api'], options: Partial<System> = {}) =>
    runCommand(argv, { fs: memory.fs, run: runAgain, ...options })
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
      'To finish, run: cd my-api && npm install && git init && git check-ignore --quiet .env && git check-ignore --quiet node_modules/ && git add --all && git commit -m "Initial commit"\n',
    )
  })

  it.each([
    ['the directory', ['my-api']],
    ['the same command', CREATE],
    ['the same answers', ['my-api', '--mode', 'complete', '--profile', 'b']],
  ])('goes on with %s, without a question', async (_, argv) => {
    const { again, lines, volume } = await interrupted()
    const { [MARKER]: pid, ...files } = volume.toJSON()
    expect(pid).toBe('4242\n')
    const { exitCode, stdout } = await again(argv)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Continuing with \/work\/my-api \(complete, B, sqlite \+ cookies, pages\)/)
    expect(lines).toEqual(
      expect.arrayContaining([
        'npm install --include=dev --package-lock --save',
        expect.stringContaining('commit'),
      ]),
    )
    expect(volume.toJSON()).toEqual(files)
  })

  it('goes on with the first commit', async () => {
    const { again, lines, volume } = await interrupted('git')
    expect(volume.existsSync(MARKER)).toBe(true)
    expect((await again()).exitCode).toBe(0)
    expect(lines).toEqual(expect.arrayContaining([expect.stringContaining('commit')]))
    expect(volume.existsSync(MARKER)).toBe(false)
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
    const { again } = await interrupted()
    expect((await again()).exitCode).toBe(0)
    expect(await again()).toMatchObject(refused)
  })

  it('is continued after an installation that failed', async () => {
    const { fs } = memoryFs()
    const { run } = fakeRun((line) => ({ ok: !line.startsWith('npm') }))
    expect((await runCommand(CREATE, { fs, run })).exitCode).toBe(1)
    expect((await runCommand(['my-api'], { fs, run: fakeRun().run })).exitCode).toBe(0)
  })

  // Both would install into one folder.
  it('is not continued while the other process still works on it', async () => {
    const { again, lines } = await interrupted()
    expect(await again(['my-api'], { isAlive: (pid) => pid === 4242 })).toMatchObject(refused)
    expect(lines).toEqual([])
  })

  it('is continued if the other process was killed before it wrote its id', async () => {
    const { again, fs } = await interrupted()
    fs.writeFileSync(MARKER, '')
    // As for process.kill, 0 is the group of the process that asks.
    expect((await again(['my-api'], { isAlive: (pid) => pid === 0 })).exitCode).toBe(0)
  })

  // An untouched project that was cloned: .env is not in git, and nobody would write it.
  it('is not found in a finished project without its installation', async () => {
    const { fs } = memoryFs()
    const create = () => runCommand([...CREATE, '--no-install'], { fs, run: fakeRun().run })
    expect((await create()).exitCode).toBe(0)
    fs.rmSync('/work/my-api/.env')
    expect(await create()).toMatchObject(refused)
  })

  it('is not continued with the defaults of --yes if it has other answers', async () => {
    const { fs } = memoryFs()
    const interruption = new AbortController()
    const { run } = fakeRun(() => {
      interruption.abort()
      return { ok: false }
    })
    const given = ['my-api', '--mode', 'basic', '--profile', 'A', '--database', 'postgres']
    await runCommand(given, { fs, run, signal: interruption.signal })
    expect(await runCommand(['my-api', '--yes'], { fs, run: fakeRun().run })).toMatchObject(refused)
  })

  it('is continued with a file that names the project differently', async () => {
    const { again, fs } = await interrupted()
    fs.writeFileSync('/work/answers.json', JSON.stringify({ name: 'service', mode: 'complete' }))
    expect((await again(['my-api', '--from', 'answers.json'])).exitCode).toBe(0)
  })

  it.each([
    ['a damaged manifest', 'manifest.json', '{'],
    ['a damaged base', 'base.json', '{}'],
  ])('is not continued with %s', async (_, file, text) => {
    const { again, fs, path } = await interrupted()
    fs.writeFileSync(`${path}/.authsmith/${file}`, text)
    expect(await again()).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(`.authsmith/${file}`),
    })
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
