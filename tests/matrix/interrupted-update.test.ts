// Covers src/update/journal/apply.ts, src/update/journal/lock.ts, src/update/journal/pending.ts,
// src/update/transaction.ts, src/update/journal/write-files.ts.
import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../src/system/file-system.ts'
import { filesIn, runCommand } from '../support/fixtures.ts'
import { type SmallMemory as Memory, PROJECT, runSmall, smallProject } from '../support/small-project.ts'

const SWITCH = ['regenerate', '--no-install', '--mode', 'basic', '--profile', 'B']
/** The functions that change or flush files. */
const CHANGING = ['chmodSync', 'fsyncSync', 'mkdirSync', 'renameSync', 'rmSync', 'rmdirSync', 'writeFileSync']

const run = (memory: Memory, argv: readonly string[], fs = memory.fs) => runSmall(memory, argv, { fs })

/** A project whose update creates, updates, deletes and merges files, and extends .env and the migrations. */
async function project(conflict: boolean): Promise<Memory> {
  const memory = await smallProject()
  memory.volume.appendFileSync(`${PROJECT}/.env`, 'MINE=1\n')
  memory.volume.writeFileSync(`${PROJECT}/README.md`, '# mine\r\n\r\nStart: `npm run dev`\r\n')
  if (conflict) memory.volume.appendFileSync(`${PROJECT}/src/app.ts`, 'export const mine = true\n')
  return memory
}

/** Every byte and permission outside .authsmith/, with generated secrets replaced by one text. */
function snapshot({ volume }: Memory): Record<string, string> {
  const paths = Object.keys(filesIn({ volume } as Memory, PROJECT)).filter(
    (path) => !path.startsWith('.authsmith/'),
  )
  return Object.fromEntries(
    paths.map((path) => {
      const text = volume.readFileSync(`${PROJECT}/${path}`, 'latin1') as string
      const bytes = path === '.env' ? text.replace(/=[\w-]{43}$/gm, '=secret') : text
      return [path, `${volume.statSync(`${PROJECT}/${path}`).mode} ${bytes}`]
    }),
  )
}

/** The generator's records, without the files that a killed process may leave. */
function memoryOf(memory: Memory): Record<string, string> {
  const files = Object.entries(filesIn(memory, `${PROJECT}/.authsmith`))
  return Object.fromEntries(files.filter(([path]) => !/^lock$|\.tmp$|^undo\.json$/.test(path)))
}

/** A process that dies at its nth change of a file. Of that write, only half is on disk. */
function dyingAt(fs: FileSystem, nth: number): { fs: FileSystem; calls: () => number } {
  let calls = 0
  const dying = new Proxy(fs, {
    get: (target, property: keyof FileSystem) => {
      const original = target[property] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        if (calls >= nth) throw new Error('killed')
        if (CHANGING.includes(property)) calls += 1
        if (calls < nth) return original.apply(target, args)
        if (property === 'writeFileSync') {
          const [path, bytes, options] = args as [string, string | Buffer, object]
          target.writeFileSync(path, bytes.slice(0, bytes.length / 2), options)
        }
        throw new Error('killed')
      }
    },
  })
  return { fs: dying, calls: () => calls }
}

/** The number of file changes that a command makes. */
async function countChanges(prepare: () => Promise<Memory>, argv: readonly string[]): Promise<number> {
  const memory = await prepare()
  const { fs, calls } = dyingAt(memory.fs, Number.POSITIVE_INFINITY)
  await run(memory, argv, fs)
  return calls()
}

async function killedAt(
  prepare: () => Promise<Memory>,
  argv: readonly string[],
  nth: number,
): Promise<Memory> {
  const memory = await prepare()
  await run(memory, argv, dyingAt(memory.fs, nth).fs)
  // A process that dies while it takes the lock leaves a draft, which the owner deletes.
  const draft = `${PROJECT}/.authsmith/lock.tmp`
  if (memory.volume.existsSync(draft)) {
    expect(await run(memory, ['regenerate', '--abort'])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(`delete ${draft}`),
    })
    memory.volume.rmSync(draft)
  }
  return memory
}

const solve = (memory: Memory) => memory.volume.writeFileSync(`${PROJECT}/src/app.ts`, 'solved\n')

async function withConflict(): Promise<Memory> {
  const memory = await project(true)
  expect((await run(memory, SWITCH)).exitCode).toBe(4)
  return memory
}

async function solved(): Promise<Memory> {
  const memory = await withConflict()
  solve(memory)
  return memory
}

describe('an update that dies at any moment', () => {
  it.each([[false], [true]])('can be finished or undone (with a conflict: %s)', async (conflict) => {
    const prepare = () => project(conflict)
    const old = await prepare()
    const [oldTree, oldMemory] = [snapshot(old), memoryOf(old)]
    const next = await prepare()
    expect((await run(next, SWITCH)).exitCode).toBe(conflict ? 4 : 0)
    const newTree = snapshot(next)
    expect(newTree).not.toEqual(oldTree)
    if (conflict) solve(next)
    if (conflict) expect((await run(next, ['regenerate', '--continue', '--no-install'])).exitCode).toBe(0)
    const newMemory = memoryOf(next)

    const changes = await countChanges(prepare, SWITCH)
    expect(changes).toBeGreaterThan(40)
    const seen = new Set<string>()
    for (let nth = 1; nth <= changes; nth += 1) {
      // Read-only commands change nothing, and say what to do.
      const killed = await killedAt(prepare, SWITCH, nth)
      const after = filesIn(killed, PROJECT)
      const { stdout } = await run(killed, ['status'])
      const isPending = /--continue|--abort/.test(stdout)
      for (const argv of [
        ['status', '--json'],
        [...SWITCH, '--dry-run'],
        ['regenerate', '--check'],
      ]) {
        const { exitCode } = await run(killed, argv)
        if (isPending && argv[0] !== 'status') expect(exitCode).toBe(3)
      }
      if (isPending) expect((await run(killed, SWITCH)).exitCode).toBe(3)
      expect(filesIn(killed, PROJECT)).toEqual(after)

      if (!isPending) {
        // The update has either not started or is complete.
        const isNew = JSON.stringify(memoryOf(killed)) === JSON.stringify(newMemory)
        expect(snapshot(killed)).toEqual(isNew ? newTree : oldTree)
        expect((await run(killed, ['regenerate', '--continue'])).exitCode).toBe(3)
        expect((await run(killed, ['regenerate', '--abort'])).exitCode).toBe(isNew ? 0 : 3)
        expect(snapshot(killed)).toEqual(oldTree)
        expect((await run(killed, SWITCH)).exitCode).toBe(conflict ? 4 : 0)
        seen.add(isNew ? 'new' : 'old')
        continue
      }
      seen.add('pending')
      const aborted = await killedAt(prepare, SWITCH, nth)
      expect(await run(aborted, ['regenerate', '--abort'])).toMatchObject({ exitCode: 0, stderr: '' })
      expect(snapshot(aborted)).toEqual(oldTree)
      expect(memoryOf(aborted)).toEqual(oldMemory)

      const finished = await run(killed, ['regenerate', '--continue', '--no-install'])
      expect(finished.exitCode).toBe(conflict ? 4 : 0)
      expect(finished.stdout).not.toContain('changed during the update')
      expect(snapshot(killed)).toEqual(newTree)
      if (conflict) solve(killed)
      if (conflict) expect((await run(killed, ['regenerate', '--continue', '--no-install'])).exitCode).toBe(0)
      expect(memoryOf(killed)).toEqual(newMemory)
      expect(filesIn(killed, `${PROJECT}/.authsmith`)).not.toHaveProperty('pending.json')
    }
    expect([...seen].sort()).toEqual(conflict ? ['old', 'pending'] : ['new', 'old', 'pending'])
  })

  it('during an abort can only be aborted', async () => {
    const old = await project(true)
    const changes = await countChanges(withConflict, ['regenerate', '--abort'])
    for (let nth = 1; nth < changes; nth += 1) {
      const killed = await killedAt(withConflict, ['regenerate', '--abort'], nth)
      // A half-restored project must not look like one with resolved conflicts.
      expect((await run(killed, ['regenerate', '--continue', '--no-install'])).exitCode).not.toBe(0)
      const { exitCode } = await run(killed, ['regenerate', '--abort'])
      // Without a journal, the abort is complete.
      expect([0, 3]).toContain(exitCode)
      expect(snapshot(killed)).toEqual(snapshot(old))
      expect(memoryOf(killed)).toEqual(memoryOf(old))
    }
  })

  it('while it finishes with resolved conflicts, is finished by the same command', async () => {
    const argv = ['regenerate', '--continue', '--no-install']
    const done = await solved()
    expect((await run(done, argv)).exitCode).toBe(0)
    const changes = await countChanges(solved, argv)
    for (let nth = 1; nth < changes; nth += 1) {
      const killed = await killedAt(solved, argv, nth)
      expect([0, 3]).toContain((await run(killed, argv)).exitCode)
      expect(snapshot(killed)).toEqual(snapshot(done))
      expect(memoryOf(killed)).toEqual(memoryOf(done))
    }
  })
})

describe('what the owner does while an update is in progress', () => {
  it('is kept if a file was not written yet', async () => {
    const middle = Math.floor((await countChanges(() => project(false), SWITCH)) / 2)
    const memory = await killedAt(() => project(false), SWITCH, middle)
    const untouched = snapshot(memory)
    const written = await project(false)
    await run(written, SWITCH)
    const open = Object.entries(snapshot(written)).filter(([path, state]) => untouched[path] !== state)
    const path = open.map(([name]) => name).find((name) => name.endsWith('.ts')) ?? ''
    expect(path).not.toBe('')
    memory.volume.mkdirSync(`${PROJECT}/${path}/..`, { recursive: true })
    memory.volume.writeFileSync(`${PROJECT}/${path}`, 'mine\n')
    const { stdout, exitCode } = await run(memory, ['regenerate', '--continue', '--no-install'])
    expect({ stdout, exitCode }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`${path} changed during the update`),
    })
    expect(filesIn(memory, PROJECT)[path]).toBe('mine\n')
  })

  it.each(['src/passwords.ts', 'src/app.ts'])('is not lost by --abort: %s', async (path) => {
    const memory = await withConflict()
    memory.volume.writeFileSync(`${PROJECT}/${path}`, 'mine\n')
    const before = filesIn(memory, PROJECT)
    const refused = await run(memory, ['regenerate', '--abort'])
    expect(refused).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(`${path} changed since the update`),
    })
    expect(filesIn(memory, PROJECT)).toEqual(before)
    const { exitCode, stdout } = await run(memory, ['regenerate', '--abort', '--yes'])
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`${path} changed since the update and was kept`),
    })
    expect(filesIn(memory, PROJECT)[path]).toBe('mine\n')
    const { [path]: _, ...others } = snapshot(memory)
    expect(snapshot(await project(true))).toMatchObject(others)
  })

  it('is restored by --abort if they deleted the file, as the error says', async () => {
    const memory = await withConflict()
    memory.volume.writeFileSync(`${PROJECT}/src/app.ts`, 'half solved\n')
    const { stderr } = await run(memory, ['regenerate', '--abort'])
    expect(stderr).toContain('To get the old text back, delete the file first')
    memory.volume.rmSync(`${PROJECT}/src/app.ts`)
    expect((await run(memory, ['regenerate', '--abort'])).exitCode).toBe(0)
    expect(snapshot(memory)).toEqual(snapshot(await project(true)))
  })

  it('is not touched by --forget, which ends the update', async () => {
    for (const [prepare, variant] of [
      [withConflict, 'basic, B, sqlite'],
      [() => killedAt(() => project(true), SWITCH, 30), 'none, sqlite'],
    ] as const) {
      const memory = await prepare()
      memory.volume.writeFileSync(`${PROJECT}/src/passwords.ts`, 'mine\n')
      const { '.authsmith/pending.json': pending, ...before } = filesIn(memory, PROJECT)
      expect(pending).toBeDefined()
      const { exitCode, stdout } = await run(memory, ['regenerate', '--forget', '--yes'])
      expect({ exitCode, stdout }).toEqual({
        exitCode: 0,
        stdout: `my-api has no pending update now and counts as ${variant}. Files that the update wrote stay as they are.\n`,
      })
      const { '.authsmith/lock': _, ...same } = before
      expect(filesIn(memory, PROJECT)).toEqual(same)
      expect((await run(memory, ['regenerate', '--forget'])).exitCode).toBe(3)
      expect((await run(memory, ['regenerate', '--dry-run'])).exitCode).toBe(0)
    }
  })

  it('is not ended by --forget alone if it was interrupted: its migration would run at the next start', async () => {
    const memory = await killedAt(() => project(true), SWITCH, 30)
    const before = [snapshot(memory), memoryOf(memory)]
    const { exitCode, stderr } = await run(memory, ['regenerate', '--forget'])
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr:
        'create-authsmith: An update was interrupted. Finish it with `regenerate --continue`, or undo it with `regenerate --abort`. To leave the files as they are now, run `regenerate --forget --yes`.\n',
    })
    expect([snapshot(memory), memoryOf(memory)]).toEqual(before)
  })

  it('is not taken for another update: --continue refuses records that this one did not write', async () => {
    const memory = await withConflict()
    const manifest = `${PROJECT}/.authsmith/manifest.json`
    const text = String(memory.volume.readFileSync(manifest))
    memory.volume.writeFileSync(manifest, text.replace(/(?<="generator": ")[^"]+/, '0.1.9'))
    solve(memory)
    const before = filesIn(memory, PROJECT)
    const { exitCode, stderr } = await run(memory, ['regenerate', '--continue'])
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: expect.stringContaining('run `regenerate --forget`'),
    })
    expect(filesIn(memory, PROJECT)).toEqual(before)
    expect((await run(memory, ['regenerate', '--forget'])).exitCode).toBe(0)
  })

  it('ends with --forget --yes even if the journal is damaged', async () => {
    const memory = await withConflict()
    memory.volume.writeFileSync(`${PROJECT}/.authsmith/pending.json`, '{')
    for (const flag of ['--abort', '--forget'])
      expect((await run(memory, ['regenerate', flag])).stderr).toContain('run `regenerate --forget --yes`')
    expect((await run(memory, ['regenerate', '--forget', '--yes'])).exitCode).toBe(0)
  })

  it('does not end the update while markers are left', async () => {
    const memory = await withConflict()
    const before = filesIn(memory, PROJECT)
    const { exitCode, stderr } = await run(memory, ['regenerate', '--continue'])
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('markers are left in src/app.ts'),
    })
    expect(filesIn(memory, PROJECT)).toEqual(before)
    memory.volume.rmSync(`${PROJECT}/src/app.ts`)
    expect((await run(memory, ['regenerate', '--continue', '--no-install'])).exitCode).toBe(0)
  })

  it('does not write outside the project through a link created in the meantime', async () => {
    const memory = await withConflict()
    memory.volume.mkdirSync('/outside')
    memory.volume.renameSync(`${PROJECT}/src`, '/outside/src')
    memory.volume.symlinkSync('/outside/src', `${PROJECT}/src`)
    const before = filesIn(memory, '/outside')
    expect(await run(memory, ['regenerate', '--abort', '--yes'])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('below the symbolic link src'),
    })
    expect(filesIn(memory, '/outside')).toEqual(before)
  })
})

describe('two updates at the same time', () => {
  const lock = { [`${PROJECT}/.authsmith/lock`]: '77\n' }

  it('are refused while the other process is alive', async () => {
    const memory = await project(false)
    memory.volume.fromJSON(lock)
    const before = filesIn(memory, PROJECT)
    const { exitCode, stderr } = await runCommand(SWITCH, {
      fs: memory.fs,
      cwd: PROJECT,
      isAlive: (pid) => pid === 77,
    })
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(`delete ${Object.keys(lock)[0]}.`),
    })
    expect(filesIn(memory, PROJECT)).toEqual(before)
  })

  it.each(['77\n', '4242\n', 'x', ''])(
    'are not refused if a dead process left the lock: %j',
    async (text) => {
      const memory = await project(false)
      memory.volume.writeFileSync(`${PROJECT}/.authsmith/lock`, text)
      const isAlive = (pid: number) => pid === 4242
      expect((await runSmall(memory, SWITCH, { isAlive })).exitCode).toBe(0)
      expect(filesIn(memory, PROJECT)).not.toHaveProperty(['.authsmith/lock'])
    },
  )
})

it('the journal is readable only by its owner, and git ignores it', async () => {
  const memory = await withConflict()
  expect(memory.volume.statSync(`${PROJECT}/.authsmith/pending.json`).mode & 0o777).toBe(0o600)
  expect(memory.volume.statSync(`${PROJECT}/.env`).mode & 0o777).toBe(0o600)
  expect(filesIn(memory, PROJECT)['.authsmith/.gitignore']).toContain('pending.json\n')
})
