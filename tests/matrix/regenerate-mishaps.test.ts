import { describe, expect, it } from 'vitest'
import type { Answers } from '../../src/answers/answers.ts'
import { fakeRun } from '../support/fixtures.ts'
import { addOwnMigration, editOnDisk } from './owner-edits.ts'
import { allFiles, flagsOf, type Memory, projectOf, regenerate, run, stateNamed, tree } from './project.ts'

const completeA: Answers = {
  name: 'my-api',
  mode: 'complete',
  profile: 'A',
  database: 'sqlite',
  addOns: [],
  packageManager: 'npm',
}
const inProject = (path: string) => `/work/my-api/${path}`
const read = ({ fs }: Memory, path: string) => String(fs.readFileSync(inProject(path)))
const write = ({ fs }: Memory, path: string, text: string) => fs.writeFileSync(inProject(path), text)

/** A switch to profile B that stopped at a conflict: the owner edited the same lines. */
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

describe('two concurrent updates', () => {
  it('an update is refused, and changes nothing, if another update changed the project after planning', async () => {
    const memory = await projectOf(completeA)
    // The other update runs after this one is planned and before it takes the lock.
    let other: Promise<unknown> | undefined
    const fs = new Proxy(memory.fs, {
      get: (target, property: keyof typeof memory.fs) =>
        property === 'renameSync'
          ? (from: string, to: string) => {
              if (to.endsWith('/lock') && !other) {
                const manifest = read(memory, '.authsmith/manifest.json')
                write(memory, '.authsmith/manifest.json', manifest.replace('"history"', ' "history"'))
                other = Promise.resolve()
              }
              return target.renameSync(from, to)
            }
          : target[property],
    })
    const before = tree(memory)
    const { exitCode, stderr } = await regenerate(memory, ['--mode', 'basic'], { fs })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: 'create-authsmith: Another update ran first. Run the command again.\n',
    })
    expect(tree(memory)).toEqual(before)
    expect(Object.keys(allFiles(memory))).not.toContain('.authsmith/pending.json')
  })
})

it('an update that was interrupted and forgotten can run again, and finds its own tables', async () => {
  const memory = await projectOf(stateNamed('none sqlite'))
  const fs = new Proxy(memory.fs, {
    get: (target, property: keyof typeof memory.fs) =>
      property === 'renameSync'
        ? (from: string, to: string) => {
            if (to.endsWith('/base.json')) throw Object.assign(new Error('no'), { code: 'EACCES' })
            target.renameSync(from, to)
          }
        : target[property],
  })
  const toComplete = flagsOf(stateNamed('complete B sqlite'))
  expect((await regenerate(memory, toComplete, { fs })).exitCode).toBe(1)
  const { exitCode, stdout } = await regenerate(memory, ['--forget', '--yes'])
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining('counts as none, sqlite'),
  })
  expect(await regenerate(memory, toComplete)).toMatchObject({ exitCode: 0, stderr: '' })
  expect(tree(memory)).toEqual(tree(await projectOf(stateNamed('complete B sqlite'))))
  expect(Object.keys(allFiles(memory)).filter((name) => name.endsWith('.sql'))).toHaveLength(2)
})

describe('an update with conflicts', () => {
  it('is refused by --continue and ended by --abort if the owner reverted the files with git', async () => {
    const { memory, before } = await inConflict()
    const pending = '.authsmith/pending.json'
    for (const path of Object.keys(allFiles(memory)))
      if (path !== pending && !(path in before)) memory.fs.rmSync(inProject(path))
    for (const [path, text] of Object.entries(before)) {
      memory.fs.mkdirSync(inProject(path.split('/').slice(0, -1).join('/')), { recursive: true })
      write(memory, path, text)
    }
    const { exitCode, stderr } = await regenerate(memory, ['--continue'])
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: expect.stringContaining('The update was undone with git'),
    })
    expect((await run(memory, ['regenerate', '--abort'])).exitCode).toBe(0)
    const after = tree(memory)
    expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([path]) => path in after)))
  })

  it('is finished by --forget too: the project counts as what its files and migrations are', async () => {
    const path = 'src/email/outbox.ts'
    const memory = await projectOf(stateNamed('none sqlite'), {
      [inProject(path)]: 'export const ours = 1\n',
    })
    expect((await regenerate(memory, flagsOf(stateNamed('complete B sqlite')))).exitCode).toBe(4)
    expect((await regenerate(memory, ['--forget'])).exitCode).toBe(0)
    const complete = await projectOf(stateNamed('complete B sqlite'))
    write(memory, path, read(complete, path))
    expect(tree(memory)).toEqual(tree(complete))
    expect((await regenerate(memory, ['--check'])).exitCode).toBe(0)
    expect(Object.keys(allFiles(memory)).filter((name) => name.endsWith('.sql'))).toHaveLength(2)
  })

  it('is finished by --continue if the owner kept their text and deleted a new file', async () => {
    const { memory, before, path } = await inConflict()
    write(memory, path, before[path] ?? '')
    memory.fs.rmSync(inProject('test/sessions/devices.test.ts'))
    expect(await regenerate(memory, ['--continue'])).toMatchObject({ exitCode: 0, stderr: '' })
  })
})

it('a leftover separator counts as a conflict marker', async () => {
  const { memory, path } = await inConflict()
  write(memory, path, read(memory, path).replaceAll(/^(<{7} yours|>{7} create-authsmith.*)\n/gm, ''))
  expect(read(memory, path)).toMatch(/^={7}$/m)
  expect((await regenerate(memory, ['--continue'])).exitCode).toBe(4)
})

describe('the snapshot keeps a table if its schema file stays', () => {
  it('under another name', async () => {
    const memory = await projectOf(completeA)
    memory.fs.renameSync(inProject('src/db/schema/tokens.ts'), inProject('src/db/schema/sessions.ts'))
    const text = read(memory, 'src/db/schema/sessions.ts')
    write(memory, 'src/db/schema/sessions.ts', `${text}export const mine = 1\n`)
    await regenerate(memory, ['--mode', 'basic'])
    expect(lastSnapshot(memory, 'sqlite')).toContain('tokens')
  })

  it('in the other database too', async () => {
    const memory = await projectOf(completeA)
    write(
      memory,
      'src/db/schema/tokens.ts',
      `${read(memory, 'src/db/schema/tokens.ts')}export const mine = 1\n`,
    )
    await regenerate(memory, ['--mode', 'basic'])
    await regenerate(memory, ['--database', 'postgres'])
    expect(lastSnapshot(memory, 'postgres')).toContain('public.tokens')
  })

  it('without .authsmith/base.json', async () => {
    const memory = await projectOf(completeA)
    memory.fs.rmSync(inProject('.authsmith/base.json'))
    await regenerate(memory, ['--mode', 'basic'])
    expect(lastSnapshot(memory, 'sqlite')).toContain('outbox')
  })
})

it('a dry run shows no value of .env, whatever its syntax', async () => {
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
    const { stdout } = await regenerate(memory, [...flags, '--diff'])
    expect(stdout).toContain(flags.includes('B') ? 'JWT_SECRET_KEY=…' : 'DATABASE_URL=…')
    expect(stdout).not.toContain('hush')
  }
})

it('a file in the migrations folder that is not a migration is ignored', async () => {
  const memory = await projectOf(completeA)
  memory.fs.writeFileSync(inProject('migrations/sqlite/.DS_Store'), Buffer.from([0, 1, 2]))
  expect((await run(memory, ['regenerate', '--check'])).exitCode).toBe(0)
})

it('with conflict markers in package.json, the error names an --abort command that does not need it', async () => {
  const memory = await projectOf(completeA)
  const base = JSON.parse(read(memory, '.authsmith/base.json'))
  const text = read(memory, 'package.json')
  base.files['package.json'] = text.replace('"vitest run"', '"vitest"')
  write(memory, '.authsmith/base.json', JSON.stringify(base))
  write(memory, 'package.json', text.replace('"vitest run"', '"vitest run --mine"'))
  const { exitCode, stderr } = await regenerate(memory, [])
  expect({ exitCode, stderr }).toEqual({
    exitCode: 4,
    stderr: expect.stringContaining('create-authsmith regenerate --abort'),
  })
})

it('a write error during an update is reported with the commands to continue or abort', async () => {
  const memory = await projectOf(completeA)
  let renames = 0
  const fs = new Proxy(memory.fs, {
    get: (target, property: keyof typeof memory.fs) =>
      property === 'renameSync'
        ? (from: string, to: string) => {
            renames += 1
            const fault = { code: 'EACCES', path: from, dest: to }
            if (renames > 20) throw Object.assign(new Error('no'), fault)
            target.renameSync(from, to)
          }
        : target[property],
  })
  const { exitCode, stderr } = await regenerate(memory, ['-p', 'B'], { fs })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringMatching(
      /Cannot write \/work\/my-api\/[a-z]\S+: permission denied \(EACCES\)\. .*--continue.*--abort`\.\n$/,
    ),
  })
})

it('a folder in the place of a file is named by --abort, and kept like an edit', async () => {
  const { memory, before } = await inConflict()
  const path = 'src/db/schema/refresh-tokens.ts'
  memory.fs.rmSync(inProject(path))
  memory.fs.mkdirSync(inProject(path))
  expect(await run(memory, ['regenerate', '--abort'])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining(`${path} changed since the update`),
  })
  memory.fs.rmdirSync(inProject(path))
  expect((await run(memory, ['regenerate', '--abort'])).exitCode).toBe(0)
  expect(allFiles(memory)).toMatchObject(before)
})

it('renamed settings are reported even without a .env file', async () => {
  const memory = await projectOf(completeA)
  memory.fs.rmSync(inProject('.env'))
  expect((await regenerate(memory, ['-p', 'B'])).stdout).toContain('need the names of this profile there too')
})

it.each([
  ['pnpm', 'pnpm install --prod=false --lockfile --no-frozen-lockfile'],
  ['yarn', 'yarn install --no-immutable'],
  ['bun', 'bun install --save-text-lockfile'],
])('%s may change its lock file even if CI is set', async (packageManager, line) => {
  const { run: runner, lines } = fakeRun()
  const flags = ['regenerate', '--package-manager', packageManager]
  const memory = await projectOf(completeA)
  expect((await run(memory, flags, { run: runner, env: { CI: 'true' } })).exitCode).toBe(0)
  expect(lines).toContain(line)
})

it.each(['sqlite', 'postgres'] as const)(
  'a merge of two branches with migrations of %s is refused, and a SQL file that nothing runs is named',
  async (database) => {
    const memory = await projectOf(stateNamed(`basic B ${database}`))
    const folder = inProject(`migrations/${database}`)
    editOnDisk(memory, (files) => addOwnMigration(files, database))
    memory.fs.writeFileSync(`${folder}/0007_forgotten.sql`, 'SELECT 1;\n')
    const { exitCode, stdout } = await regenerate(memory, ['--add', 'metrics', '--dry-run'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`migrations/${database}/0007_forgotten.sql is not in meta/_journal.json`)
    expect(stdout).not.toContain('0001_ours.sql is not in')

    const read = (path: string) => String(memory.fs.readFileSync(`${folder}/meta/${path}`, 'utf8'))
    const journal = JSON.parse(read('_journal.json'))
    journal.entries.push({ ...journal.entries[1], idx: 7, tag: '0007_forgotten' })
    memory.fs.writeFileSync(`${folder}/meta/_journal.json`, JSON.stringify(journal))
    memory.fs.writeFileSync(`${folder}/meta/0007_snapshot.json`, read('0001_snapshot.json'))
    const before = allFiles(memory)
    for (const argv of [
      ['add', 'metrics'],
      ['add', 'admin'],
      ['regenerate', '-m', 'none'],
    ]) {
      const { exitCode, stderr } = await run(memory, [...argv, '--no-install'])
      expect({ exitCode, stderr }).toEqual({
        exitCode: 3,
        stderr: expect.stringMatching(
          /0007_forgotten\.sql and 0001_ours\.sql both follow .*`git rm -f .*`\S* /,
        ),
      })
      expect(allFiles(memory)).toEqual(before)
    }
  },
)
