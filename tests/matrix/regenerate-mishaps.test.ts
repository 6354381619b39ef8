import { describe, expect, it } from 'vitest'
import type { Answers } from '../../src/answers.ts'
import { fakeRun } from '../unit/fixtures.ts'
import { allFiles, type Memory, projectOf, regenerate, run, tree } from '../unit/project.ts'

const completeA: Answers = {
  name: 'my-api',
  mode: 'complete',
  profile: 'A',
  database: 'sqlite',
  packageManager: 'npm',
}
const inProject = (path: string) => `/work/my-api/${path}`
const read = ({ fs }: Memory, path: string) => String(fs.readFileSync(inProject(path)))
const write = ({ fs }: Memory, path: string, text: string) => fs.writeFileSync(inProject(path), text)

/** A switch to profile B that waits for the owner, who changed what it changes too. */
async function inConflict(path = 'src/settings/access-tokens.ts') {
  const memory = await projectOf(completeA)
  write(memory, path, read(memory, path).replaceAll('secret()', 'mine()'))
  const before = allFiles(memory)
  expect((await regenerate(memory, ['--profile', 'B'])).exitCode).toBe(4)
  return { memory, before, path }
}

const lastSnapshot = (memory: Memory, dialect: string) => {
  const [last = ''] = Object.keys(allFiles(memory))
    .filter((path) => path.startsWith(`migrations/${dialect}/meta/0`))
    .sort()
    .reverse()
  return Object.keys(JSON.parse(read(memory, last)).tables)
}

describe('two updates at once', () => {
  it('the one that planned with what the other changed is refused, and changes nothing', async () => {
    const memory = await projectOf(completeA)
    // The other comes between this one's plan and its lock.
    let other: Promise<unknown> | undefined
    const fs = new Proxy(memory.fs, {
      get: (target, property: keyof typeof memory.fs) =>
        property === 'writeFileSync'
          ? (path: string, ...rest: [string]) => {
              if (path.endsWith('/lock') && !other) {
                const manifest = read(memory, '.authsmith/manifest.json')
                write(memory, '.authsmith/manifest.json', manifest.replace('"history"', ' "history"'))
                other = Promise.resolve()
              }
              return target.writeFileSync(path, ...rest)
            }
          : target[property],
    })
    const before = tree(memory)
    const { exitCode, stderr } = await regenerate(memory, ['--mode', 'basic'], { fs })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: 'create-authsmith: another update came first; run it again\n',
    })
    expect(tree(memory)).toEqual(before)
    expect(Object.keys(allFiles(memory))).not.toContain('.authsmith/pending.json')
  })
})

describe('an update with conflicts that was taken back by other means', () => {
  it('is not finished by --continue, and ended by --abort', async () => {
    const { memory, before } = await inConflict()
    for (const path of Object.keys(allFiles(memory)))
      if (!path.startsWith('.authsmith/') && !(path in before)) memory.fs.rmSync(inProject(path))
    for (const [path, text] of Object.entries(before)) {
      memory.fs.mkdirSync(inProject(path.split('/').slice(0, -1).join('/')), { recursive: true })
      write(memory, path, text)
    }
    const { exitCode, stderr } = await regenerate(memory, ['--continue'])
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: expect.stringContaining('end it with --abort'),
    })
    expect((await run(memory, ['regenerate', '--abort'])).exitCode).toBe(0)
    expect(tree(memory)).toEqual(
      Object.fromEntries(Object.entries(before).filter(([path]) => path in tree(memory))),
    )
  })

  it('but one that the owner solved by his own text, and without a new file, is', async () => {
    const { memory, before, path } = await inConflict()
    write(memory, path, before[path] ?? '')
    memory.fs.rmSync(inProject('test/devices.test.ts'))
    expect(await regenerate(memory, ['--continue'])).toMatchObject({ exitCode: 0, stderr: '' })
  })
})

it('a separator that is left alone of the markers is one', async () => {
  const { memory, path } = await inConflict()
  write(memory, path, read(memory, path).replaceAll(/^(<{7} yours|>{7} create-authsmith.*)\n/gm, ''))
  expect(read(memory, path)).toMatch(/^={7}$/m)
  expect((await regenerate(memory, ['--continue'])).exitCode).toBe(4)
})

describe('the snapshot keeps a table whose schema file stays', () => {
  it('under another name', async () => {
    const memory = await projectOf(completeA)
    memory.fs.renameSync(inProject('src/db/schema/tokens.ts'), inProject('src/db/schema/sessions.ts'))
    await regenerate(memory, ['--mode', 'basic'])
    expect(lastSnapshot(memory, 'sqlite')).toContain('tokens')
  })

  it('in the other database too, after it was left behind', async () => {
    const memory = await projectOf(completeA)
    write(memory, 'src/db/schema/tokens.ts', `${read(memory, 'src/db/schema/tokens.ts')}// mine\n`)
    await regenerate(memory, ['--mode', 'basic'])
    await regenerate(memory, ['--database', 'postgres'])
    expect(lastSnapshot(memory, 'postgres')).toContain('public.tokens')
  })

  it('where nobody knows what was generated', async () => {
    const memory = await projectOf(completeA)
    memory.fs.rmSync(inProject('.authsmith/base.json'))
    await regenerate(memory, ['--mode', 'basic'])
    expect(lastSnapshot(memory, 'sqlite')).toContain('outbox')
  })
})

it('a dry run shows no value of .env, however it is written', async () => {
  const memory = await projectOf(completeA)
  const env = `${read(memory, '.env').replace(/^DATABASE_URL=.*$/m, 'DATABASE_URL=file:hush1.db')}
lower=hush2
SPACED = hush3
export GIVEN=hush4
LINES="hush5
hush6"
`
  write(memory, '.env', env)
  for (const flags of [
    ['-d', 'postgres'],
    ['-p', 'B'],
    ['-p', 'B', '--json'],
  ]) {
    const { stdout } = await regenerate(memory, [...flags, '--dry-run'])
    expect(stdout).toContain(flags.includes('B') ? 'JWT_SECRET_KEY=…' : 'DATABASE_URL=…')
    expect(stdout).not.toContain('hush')
  }
})

it('what is no migration in the folder of the migrations is nobody’s business', async () => {
  const memory = await projectOf(completeA)
  memory.fs.writeFileSync(inProject('migrations/sqlite/.DS_Store'), Buffer.from([0, 1, 2]))
  expect((await run(memory, ['regenerate', '--check'])).exitCode).toBe(0)
})

it('with markers in package.json, the way back is a command that runs without it', async () => {
  const memory = await projectOf(completeA)
  const base = JSON.parse(read(memory, '.authsmith/base.json'))
  const text = read(memory, 'package.json')
  base.files['package.json'] = text.replace('"vitest run"', '"vitest"')
  write(memory, '.authsmith/base.json', JSON.stringify(base))
  write(memory, 'package.json', text.replace('"vitest run"', '"vitest run --mine"'))
  const { exitCode, stderr } = await regenerate(memory, [])
  expect({ exitCode, stderr }).toEqual({
    exitCode: 4,
    stderr: expect.stringContaining('npx create-authsmith@latest regenerate --abort'),
  })
})

it('a disk that refuses in the middle is named, with the way on', async () => {
  const memory = await projectOf(completeA)
  let renames = 0
  const fs = new Proxy(memory.fs, {
    get: (target, property: keyof typeof memory.fs) =>
      property === 'renameSync'
        ? (from: string, to: string) => {
            renames += 1
            if (renames > 20) throw Object.assign(new Error('no'), { code: 'EACCES' })
            target.renameSync(from, to)
          }
        : target[property],
  })
  const { exitCode, stderr } = await regenerate(memory, ['-p', 'B'], { fs })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringMatching(/permission denied \(EACCES\); .*--continue.*--abort\n$/),
  })
})

it('a folder in the way of --abort is named, and the update can still be taken back', async () => {
  const { memory, before } = await inConflict()
  memory.fs.rmSync(inProject('src/db/schema/refresh-tokens.ts'))
  memory.fs.mkdirSync(inProject('src/db/schema/refresh-tokens.ts'))
  const { exitCode, stderr } = await run(memory, ['regenerate', '--abort', '--yes'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining('move it away') })
  memory.fs.rmdirSync(inProject('src/db/schema/refresh-tokens.ts'))
  expect((await run(memory, ['regenerate', '--abort', '--yes'])).exitCode).toBe(0)
  expect(allFiles(memory)).toMatchObject(before)
})

it('without a .env, renamed settings are said all the same', async () => {
  const memory = await projectOf(completeA)
  memory.fs.rmSync(inProject('.env'))
  expect((await regenerate(memory, ['-p', 'B'])).stdout).toContain('need their new names there too')
})

it.each([
  ['pnpm', 'pnpm install --no-frozen-lockfile'],
  ['yarn', 'yarn install --no-immutable'],
  ['bun', 'bun install'],
])('%s may change its lock file, also with CI set', async (packageManager, line) => {
  const { run: runner, lines } = fakeRun()
  const flags = ['regenerate', '--package-manager', packageManager]
  const memory = await projectOf(completeA)
  expect((await run(memory, flags, { run: runner, env: { CI: 'true' } })).exitCode).toBe(0)
  expect(lines).toContain(line)
})
