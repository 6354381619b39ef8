// Covers src/update/abort.ts and src/update/journal/commits.ts: `--abort` and `--forget` in a real git repository.
import { execFileSync } from 'node:child_process'
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { filesBelow } from '../../src/system/file-system.ts'
import { run as runProgram } from '../../src/system/run.ts'
import { runCommand } from '../support/fixtures.ts'

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
let folder: string
/** A committed project, of which each test has a copy. */
let original: string
let project: string

/** Runs the generator in the project. Only git is a real program: package managers succeed and do nothing. */
const create = (argv: readonly string[], cwd = project) =>
  runCommand(argv, {
    fs: nodeFs,
    blueprints: resolve('blueprints'),
    cwd,
    run: async (program, args, options) => {
      if (program === 'git') return runProgram(program, args, options)
      if (args.includes('db:generate')) writeOwnMigration()
      return { ok: true, output: 'Your SQL migration file' }
    },
  })
const git = (...args: string[]) =>
  execFileSync('git', [...IDENTITY, ...args], { cwd: project, encoding: 'utf8' })
const commit = () => git('commit', '--quiet', '--all', '--message', 'mine')
const write = (path: string, text: string) => nodeFs.writeFileSync(join(project, path), text)
const read = (path: string) => nodeFs.readFileSync(join(project, path), 'utf8')

/** What Drizzle Kit does: a migration, its entry in the journal and its snapshot. */
function writeOwnMigration() {
  const path = 'migrations/postgres/meta/_journal.json'
  const journal = JSON.parse(read(path))
  journal.entries.push({ ...journal.entries[0], idx: 1, tag: '0001_own_tables' })
  write(path, JSON.stringify(journal))
  write('migrations/postgres/0001_own_tables.sql', 'SELECT 1;\n')
  const { id: prevId, ...snapshot } = JSON.parse(read('migrations/postgres/meta/0000_snapshot.json'))
  write('migrations/postgres/meta/0001_snapshot.json', JSON.stringify({ ...snapshot, id: 'mine', prevId }))
}

/** Every file of the project but those of git and of the generator. */
const files = () =>
  Object.fromEntries(
    filesBelow(nodeFs, project)
      .filter((path) => !/^\.(?:git|authsmith)\//.test(path))
      .map((path) => [path, read(path)]),
  )

const TO_POSTGRES = ['regenerate', '--mode', 'complete', '--database', 'postgres', '--no-install']

beforeAll(async () => {
  folder = nodeFs.mkdtempSync(join(tmpdir(), 'authsmith-undo-'))
  const argv = ['my-api', '-m', 'basic', '-p', 'B', '--no-install', '--no-git']
  expect((await create(argv, folder)).exitCode).toBe(0)
  original = join(folder, 'my-api')
  project = original
  write('package-lock.json', '')
  git('init', '--quiet')
  git('add', '--all')
  commit()
})
afterAll(() => nodeFs.rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  project = join(nodeFs.mkdtempSync(join(folder, 'project-')), 'my-api')
  nodeFs.cpSync(original, project, { recursive: true, preserveTimestamps: true })
})

describe('--abort after an update that is finished', () => {
  it('restores every file, also .env, as the note on rows says', async () => {
    const before = files()
    const { stdout } = await create(TO_POSTGRES)
    expect(stdout).toContain('undo this update with regenerate --abort before you commit it')
    expect(read('.env')).toContain('DATABASE_URL=postgres')
    expect(await create(['regenerate', '--abort'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /migrations\/postgres\/0000_\w+\.sql.* removed.*\n[\s\S]*Next:\n {2}npm install\n/,
      ),
    })
    expect(files()).toEqual(before)
    expect(git('status', '--porcelain')).toBe('')
    expect((await create(['regenerate', '--abort'])).exitCode).toBe(3)
    // The rest of the note: the database alone, then the mode.
    expect((await create(['regenerate', '--database', 'postgres', '--no-install'])).exitCode).toBe(0)
  })

  it('is what --continue and --forget name, as long as there is something to undo', async () => {
    const none = 'No update is in progress, so there is nothing to continue, abort or forget.'
    const answers = () =>
      Promise.all(['--continue', '--forget'].map(async (flag) => (await create(['regenerate', flag])).stderr))
    for (const answer of await answers()) expect(answer).toContain(none)
    await create(TO_POSTGRES)
    for (const answer of await answers())
      expect(answer).toContain(
        'the last one is finished. Until your next commit, `regenerate --abort` undoes it.',
      )
    await create(['regenerate', '--abort'])
    for (const answer of [...(await answers()), (await create(['regenerate', '--abort'])).stderr])
      expect(answer).toContain(none)
  })

  it('reports as JSON what it reports as text', async () => {
    await create(TO_POSTGRES)
    const { stdout } = await create(['regenerate', '--abort', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'abort',
      notes: [expect.stringMatching(/^migrations\/postgres\/0000_\w+\.sql.* removed\. .* restore a backup$/)],
      next: ['npm install'],
    })
  })

  it('restores what git does not have if the rest was undone with git', async () => {
    const before = files()
    await create(TO_POSTGRES)
    git('reset', '--quiet', '--hard')
    git('clean', '--quiet', '-d', '--force')
    expect(files()['.env']).not.toBe(before['.env'])
    expect(await create(['regenerate', '--abort'])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(
        'Only .env is as the update wrote it: git has the other files as before.',
      ),
    })
    expect((await create(['regenerate', '--abort', '--yes'])).exitCode).toBe(0)
    expect(files()).toEqual(before)
  })

  it('restores a file that a formatter changed since', async () => {
    const before = files()
    await create(TO_POSTGRES)
    write('src/db/dialect.ts', read('src/db/dialect.ts').replaceAll('\n  ', '\n\t'))
    expect((await create(['regenerate', '--abort'])).exitCode).toBe(0)
    expect(files()).toEqual(before)
  })

  it('stops at a file that was edited since, as it says: --yes keeps it, deleting it restores it', async () => {
    const before = files()
    await create(TO_POSTGRES)
    write('src/db/dialect.ts', `${read('src/db/dialect.ts')}// mine\n`)
    write('.env', `${read('.env')}MINE=1\n`)
    const stopped = await create(['regenerate', '--abort'])
    expect({ exitCode: stopped.exitCode, stderr: stopped.stderr }).toEqual({
      exitCode: 3,
      stderr:
        'create-authsmith: src/db/dialect.ts, .env changed since the update. To keep that and undo the rest, run ' +
        '`regenerate --abort --yes`. To get the old text back, delete the file first.\n',
    })
    nodeFs.rmSync(join(project, '.env'))
    expect((await create(['regenerate', '--abort', '--yes'])).exitCode).toBe(0)
    expect(files()).toEqual({ ...before, 'src/db/dialect.ts': expect.stringContaining('// mine\n') })
  })

  it.each([
    ['the owner added a migration', false],
    ['Drizzle Kit added that of their tables', true],
  ])('is refused if %s: without those of the update, it could not run', async (_, isOfTool) => {
    write(
      'src/db/schema/tasks.ts',
      "import { id, table } from '../dialect.ts'\n\nexport const tasks = table('tasks', { id: id() })\n",
    )
    git('add', '--all')
    commit()
    const before = files()
    if (isOfTool) nodeFs.mkdirSync(join(project, 'node_modules'))
    const noInstall = isOfTool ? [] : ['--no-install']
    expect((await create(['regenerate', '--database', 'postgres', ...noInstall])).exitCode).toBe(0)
    if (!isOfTool) writeOwnMigration()
    const path = 'migrations/postgres/meta/_journal.json'
    const others = files()
    for (const argv of [[], ['--yes']])
      expect(await create(['regenerate', '--abort', ...argv])).toMatchObject({
        exitCode: 3,
        stderr: `create-authsmith: ${path} changed since the update. Take the migrations that came after it back first: \`npx drizzle-kit drop\`.\n`,
      })
    expect(files()).toEqual(others)
    // What drizzle-kit drop does.
    const { entries, ...journal } = JSON.parse(read(path))
    write(path, JSON.stringify({ ...journal, entries: entries.slice(0, -1) }, null, 2))
    for (const file of ['0001_own_tables.sql', 'meta/0001_snapshot.json'])
      nodeFs.rmSync(join(project, 'migrations/postgres', file))
    expect((await create(['regenerate', '--abort'])).exitCode).toBe(0)
    expect(files()).toEqual(before)
  })

  it('is refused after the next commit, and names the one to revert', async () => {
    const before = files()
    await create(TO_POSTGRES)
    git('add', '--all')
    commit()
    const update = git('rev-parse', '--short', 'HEAD').trim()
    write('notes.txt', 'mine\n')
    git('add', '--all')
    commit()
    const updated = files()
    expect(await create(['regenerate', '--abort'])).toMatchObject({
      exitCode: 3,
      stderr: `create-authsmith: There are commits since the last update. Undo it with \`git revert ${update}\`, then compare .env with .env.example.\n`,
    })
    expect(files()).toEqual(updated)
    git('revert', '--no-edit', update)
    expect(files()).toEqual({ ...before, '.env': updated['.env'], 'notes.txt': 'mine\n' })
  })

  // Its message must not name the first commit: reverting that deletes the project.
  it.each<[string, () => void]>([
    [
      'without the update',
      () => {
        write('notes.txt', 'mine\n')
        git('add', 'notes.txt')
        git('commit', '--quiet', '--message', 'notes')
      },
    ],
    [
      'that replaces the last one',
      () => {
        git('add', '--all')
        git('commit', '--quiet', '--amend', '--no-edit')
      },
    ],
  ])('is refused after a commit %s, and works after the command that the error names', async (_, change) => {
    const before = files()
    await create(TO_POSTGRES)
    const start = git('rev-parse', 'HEAD').slice(0, 12)
    change()
    const back = `git reset --soft ${start}`
    expect(await create(['regenerate', '--abort'])).toMatchObject({
      exitCode: 3,
      stderr: `create-authsmith: The update began at commit ${start}, which is not the last one now. If you committed since, run \`${back}\`, which changes no file. If you switched the branch, switch back.\n`,
    })
    git(...back.split(' ').slice(1))
    expect((await create(['regenerate', '--abort'])).exitCode).toBe(0)
    expect(files()).toMatchObject(before)
  })

  it.each<[string, () => void]>([
    [
      'committed on another branch',
      () => {
        git('checkout', '--quiet', '-b', 'switched')
        git('add', '--all')
        commit()
        git('checkout', '--quiet', '-')
      },
    ],
    ['stashed', () => git('stash', '--quiet', '--include-untracked')],
  ])('keeps the new secrets of an update that is %s, and the next update is not refused', async (_, put) => {
    await create(['regenerate', '--mode', 'none', '--no-install'])
    git('add', '--all')
    commit()
    write('.env', 'PORT=3000\n')
    await create(['regenerate', '--mode', 'complete', '--profile', 'B', '--no-install'])
    const env = read('.env')
    expect(env).toContain('JWT_SECRET_KEY=')
    put()
    expect(await create(['regenerate', '--abort'])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('keep .env. Otherwise restore it with `regenerate --abort --yes`.'),
    })
    expect(read('.env')).toBe(env)
    expect(await create(['regenerate', '--package-manager', 'pnpm', '--no-install'])).toMatchObject({
      exitCode: 0,
      stderr: '',
    })
    expect(read('.env')).toContain(/^JWT_SECRET_KEY=.*$/m.exec(env)?.[0])
  })

  it('restores every file if the update is also in a stash', async () => {
    const before = files()
    await create(TO_POSTGRES)
    git('stash', '--quiet', '--include-untracked')
    git('stash', 'apply', '--quiet')
    expect((await create(['regenerate', '--abort'])).exitCode).toBe(0)
    expect(files()).toEqual(before)
  })

  it('restores every file if a formatter or git wrote the records anew', async () => {
    const before = files()
    await create(TO_POSTGRES)
    const manifest = '.authsmith/manifest.json'
    write(manifest, `${JSON.stringify(JSON.parse(read(manifest)))}\n`)
    write('.authsmith/base.json', read('.authsmith/base.json').replaceAll('\n', '\r\n'))
    expect(await create(['regenerate', '--abort'])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(files()).toEqual(before)
    expect(git('status', '--porcelain')).toBe('')
  })

  it('undoes an update after a switch of the profile', async () => {
    await create(['regenerate', '--profile', 'A', '--no-install'])
    git('add', '--all')
    commit()
    const before = files()
    await create(['regenerate', '--mode', 'complete', '--no-install'])
    expect((await create(['regenerate', '--abort'])).exitCode).toBe(0)
    expect(files()).toEqual(before)
  })

  it('undoes the last update only', async () => {
    await create(['regenerate', '--mode', 'complete', '--no-install'])
    git('add', '--all')
    commit()
    const before = files()
    await create(['regenerate', '--database', 'postgres', '--no-install'])
    expect((await create(['regenerate', '--abort'])).exitCode).toBe(0)
    expect(files()).toEqual(before)
  })
})

describe('--abort of an update with conflicts', () => {
  it('does not throw resolved conflicts away', async () => {
    write('src/app.ts', read('src/app.ts').replaceAll(/^export/gm, '// mine\nexport'))
    write('compose.yaml', `# Ours\n`)
    commit()
    expect((await create(TO_POSTGRES)).exitCode).toBe(4)
    write('compose.yaml', '# Ours, resolved\n')
    expect(await create(['regenerate', '--abort'])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('compose.yaml changed since the update.'),
    })
    expect(read('compose.yaml')).toBe('# Ours, resolved\n')
  })

  it('names the migrations that a server may have run, and nothing to install', async () => {
    write('compose.yaml', '# Ours\n')
    commit()
    expect((await create(TO_POSTGRES)).exitCode).toBe(4)
    const { stdout } = await create(['regenerate', '--abort', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      notes: [expect.stringMatching(/^migrations\/postgres\/0000_\w+\.sql.* removed\. .* restore a backup$/)],
      next: [],
    })
  })
})

describe('--continue and --abort after a commit since an update with conflicts began', () => {
  it.each<[string, () => void]>([
    ['that has the update', () => git('add', '--all')],
    [
      'after git reset --hard',
      () => {
        git('reset', '--quiet', '--hard')
        git('clean', '--quiet', '-d', '--force')
        write('notes.txt', 'mine\n')
        git('add', '--all')
      },
    ],
  ])('%s are refused, and the command that the error names leads back', async (_, change) => {
    write('compose.yaml', '# Ours\n')
    commit()
    const before = files()
    expect((await create(TO_POSTGRES)).exitCode).toBe(4)
    const start = git('rev-parse', 'HEAD').slice(0, 12)
    change()
    commit()
    const left = files()
    const back = `git reset --soft ${start}`
    for (const flag of ['--continue', '--abort'])
      expect(await create(['regenerate', flag, '--yes'])).toMatchObject({
        exitCode: 3,
        stderr: `create-authsmith: The update began at commit ${start}, which is not the last one now. If you committed since, run \`${back}\`, which changes no file. If you switched the branch, switch back. Or end the update without changing a file: \`regenerate --forget --yes\`.\n`,
      })
    expect(files()).toEqual(left)
    git(...back.split(' ').slice(1))
    expect(files()).toEqual(left)
    expect((await create(['regenerate', '--abort'])).exitCode).toBe(0)
    expect(files()).toMatchObject(before)
  })

  it('are accepted if the project had no commit when it began', async () => {
    nodeFs.rmSync(join(project, '.git'), { recursive: true })
    const before = files()
    write('compose.yaml', '# Ours\n')
    expect((await create(TO_POSTGRES)).exitCode).toBe(4)
    git('init', '--quiet')
    git('add', '--all')
    commit()
    write('compose.yaml', before['compose.yaml'] ?? '')
    expect((await create(['regenerate', '--continue', '--no-install'])).exitCode).toBe(0)
    expect(git('status', '--porcelain')).toBe(' M compose.yaml\n')
  })
})

describe('--abort after resolved conflicts and --continue', () => {
  const conflicted = async () => {
    write('compose.yaml', '# Ours\n')
    commit()
    const before = files()
    expect((await create(TO_POSTGRES)).exitCode).toBe(4)
    return before
  }
  const resolve = async (text: string) => {
    write('compose.yaml', text)
    expect((await create(['regenerate', '--continue', '--no-install'])).exitCode).toBe(0)
  }

  it('undoes everything if they kept the text', async () => {
    const before = await conflicted()
    await resolve('# Ours\n')
    expect((await create(['regenerate', '--abort'])).exitCode).toBe(0)
    expect(files()).toEqual(before)
  })

  it('names a file with another text, and keeps that', async () => {
    const before = await conflicted()
    await resolve('# Ours, resolved\n')
    expect(await create(['regenerate', '--abort'])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(
        'compose.yaml changed since the update. To keep that and undo the rest',
      ),
    })
    expect((await create(['regenerate', '--abort', '--yes'])).exitCode).toBe(0)
    expect(files()).toEqual({ ...before, 'compose.yaml': '# Ours, resolved\n' })
  })

  it('keeps an edit after them', async () => {
    await conflicted()
    await resolve('# Ours\n')
    write('compose.yaml', '# Ours\n\nMore.\n')
    expect((await create(['regenerate', '--abort'])).exitCode).toBe(3)
    expect(read('compose.yaml')).toBe('# Ours\n\nMore.\n')
  })
})

it('--forget after git reset --hard ends the update, as the error of --continue says', async () => {
  write('compose.yaml', '# Ours\n')
  commit()
  const before = files()
  expect((await create(TO_POSTGRES)).exitCode).toBe(4)
  git('reset', '--quiet', '--hard')
  git('clean', '--quiet', '-d', '--force')
  const env = read('.env')
  const { exitCode, stderr } = await create(['regenerate', '--continue'])
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr: expect.stringContaining('`regenerate --forget`'),
  })
  expect((await create(['regenerate', '--forget'])).exitCode).toBe(0)
  expect(files()).toEqual({ ...before, '.env': env })
  expect(git('status', '--porcelain')).toBe('')
  expect((await create(['regenerate', '--check'])).exitCode).toBe(0)
  // The same switch can run again.
  write('compose.yaml', git('show', 'HEAD~1:compose.yaml'))
  commit()
  expect((await create(TO_POSTGRES)).exitCode).toBe(0)
})
