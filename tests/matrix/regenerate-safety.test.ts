// Covers src/migrations/on-disk.ts, src/project/schema-files.ts, src/update/run-tools.ts.
import { describe, expect, it } from 'vitest'
import { fakeRun, filesIn } from '../support/fixtures.ts'
import { PROJECT, runSmall, smallProject } from '../support/small-project.ts'
import { editOnDisk } from './owner-edits.ts'
import { allFiles, flagsOf, projectOf, regenerate, run, stateNamed, tree } from './project.ts'

describe('a missing .authsmith/base.json', () => {
  it('does not allow overwriting or deleting: files that differ become conflicts, the others stay', async () => {
    const memory = await projectOf(stateNamed('complete B sqlite'))
    editOnDisk(memory, (files) => {
      delete files['.authsmith/base.json']
      files['src/app.ts'] = `// ours\n${files['src/app.ts']}`
    })
    const before = tree(memory)
    const next = tree(await projectOf(stateNamed('basic B sqlite')))
    const { exitCode, stdout } = await regenerate(memory, ['--mode', 'basic'])
    expect(exitCode).toBe(4)
    expect(stdout).toContain('.authsmith/base.json is missing')
    const after = tree(memory)
    for (const [path, text] of Object.entries(before)) {
      const isConflict = after[path]?.includes('<<<<<<< yours\n')
      if (next[path] === text || !(path in next)) expect(after[path]).toBe(text)
      else expect({ path, isConflict }).toEqual({ path, isConflict: true })
    }
    expect((await regenerate(memory, ['--abort'])).exitCode).toBe(0)
    expect(tree(memory)).toEqual(before)
    expect(memory.fs.existsSync('/work/my-api/.authsmith/base.json')).toBe(false)
  })

  it('is written again if no file differs', async () => {
    const memory = await projectOf(stateNamed('basic A sqlite'))
    const before = allFiles(memory)
    memory.volume.rmSync('/work/my-api/.authsmith/base.json')
    expect((await run(memory, ['regenerate', '--check'])).exitCode).toBe(3)
    expect((await regenerate(memory, [])).exitCode).toBe(0)
    expect(allFiles(memory)).toEqual(before)
  })
})

it('the exit code does not depend on the number of conflicts', async () => {
  const memory = await smallProject()
  for (let i = 0; i < 256; i += 1) {
    memory.volume.writeFileSync(`/blueprints/all/src/new${i}.ts`, 'ours\n')
    memory.volume.writeFileSync(`${PROJECT}/src/new${i}.ts`, 'mine\n')
  }
  const { exitCode, stdout } = await runSmall(memory, ['regenerate', '--json'])
  expect(exitCode).toBe(4)
  expect(JSON.parse(stdout).conflicts).toHaveLength(256)
})

describe('unusual files', () => {
  it('are kept and reported: a binary file, a directory, a symbolic link', async () => {
    const memory = await projectOf(stateNamed('basic B sqlite'))
    memory.volume.rmSync('/work/my-api/README.md')
    memory.volume.mkdirSync('/work/my-api/README.md')
    memory.volume.rmSync('/work/my-api/.env')
    memory.volume.writeFileSync('/work/secrets', 'KEY=x\n')
    memory.volume.symlinkSync('/work/secrets', '/work/my-api/.env')
    memory.volume.writeFileSync('/work/my-api/src/errors.ts', Buffer.from([0xff, 0]))
    memory.volume.rmSync('/work/my-api/src/config.ts')
    memory.volume.symlinkSync('/work/secrets', '/work/my-api/src/config.ts')
    const { stdout, exitCode } = await regenerate(memory, ['--mode', 'complete'])
    expect(exitCode).toBe(0)
    for (const line of [
      'kept as it is: README.md (a directory)',
      'kept as it is: src/errors.ts (binary)',
      'kept as it is: src/config.ts (a symbolic link)',
      '.env is a symbolic link and was not changed',
    ])
      expect(stdout).toContain(line)
    expect(memory.volume.readFileSync('/work/secrets', 'utf8')).toBe('KEY=x\n')
    expect(memory.volume.readFileSync('/work/my-api/src/errors.ts')).toEqual(Buffer.from([0xff, 0]))
  })

  it.each(['src/accounts', 'src/routes/api', 'migrations'])(
    'are not followed out of the project: the symbolic link %s is refused',
    async (link) => {
      const memory = await projectOf(stateNamed('basic B sqlite'))
      memory.volume.mkdirSync('/outside')
      memory.volume.renameSync(`/work/my-api/${link}`, '/outside/target')
      memory.volume.symlinkSync('/outside/target', `/work/my-api/${link}`)
      const before = memory.volume.toJSON()
      const { exitCode, stderr, stdout } = await regenerate(memory, ['--mode', 'complete'])
      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
      expect(stderr).toContain('symbolic link')
      expect(memory.volume.toJSON()).toEqual(before)
    },
  )

  it('keep their permissions', async () => {
    const memory = await projectOf(stateNamed('basic B sqlite'))
    memory.volume.chmodSync('/work/my-api/src/config.ts', 0o755)
    memory.volume.chmodSync('/work/my-api/.env', 0o600)
    await regenerate(memory, ['--mode', 'complete'])
    expect(memory.volume.statSync('/work/my-api/src/config.ts').mode & 0o777).toBe(0o755)
    expect(memory.volume.statSync('/work/my-api/.env').mode & 0o777).toBe(0o600)
  })
})

describe('.env', () => {
  it('is not created if missing, and not changed if no setting changed', async () => {
    const memory = await smallProject()
    memory.volume.rmSync(`${PROJECT}/.env`)
    await runSmall(memory, ['regenerate', '--mode', 'basic', '--profile', 'B', '--no-install'])
    expect(filesIn(memory, PROJECT)).not.toHaveProperty(['.env'])
    memory.volume.writeFileSync(`${PROJECT}/.env`, 'PORT=1\n')
    memory.volume.writeFileSync('/blueprints/sqlite/src/db.ts', 'newer\n')
    expect((await runSmall(memory, ['regenerate'])).exitCode).toBe(0)
    expect(filesIn(memory, PROJECT)['.env']).toBe('PORT=1\n')
  })
})

describe('migrations', () => {
  it('are appended with increasing timestamps even if the clock goes back', async () => {
    const memory = await projectOf(stateNamed('none sqlite'))
    const days = [10, 3, 7, 1]
    const flags = [
      ['-m', 'basic', '-p', 'A'],
      ['-m', 'complete'],
      ['-p', 'B'],
      ['-m', 'basic'],
    ]
    for (const [index, argv] of flags.entries()) {
      const now = () => Date.UTC(2020, 0, days[index])
      expect((await regenerate(memory, argv, { now })).exitCode).toBe(0)
    }
    const { entries } = JSON.parse(allFiles(memory)['migrations/sqlite/meta/_journal.json'] ?? '')
    const times: number[] = entries.map(({ when }: { when: number }) => when)
    expect(times).toHaveLength(5)
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
  })
})

describe('the steps after the files are written', () => {
  const switchTo = async (
    from: string,
    to: string,
    edit = (_: Record<string, string>) => {},
    answer: Parameters<typeof fakeRun>[0] = () => ({ output: '[✓] Your SQL migration file' }),
  ) => {
    const memory = await projectOf(stateNamed(from))
    editOnDisk(memory, edit)
    const { run: runner, lines } = fakeRun(answer)
    const outcome = await run(memory, ['regenerate', ...flagsOf(stateNamed(to))], { run: runner })
    return { ...outcome, lines }
  }
  const ownTable = (files: Record<string, string>) => {
    files['src/db/schema/tasks.ts'] =
      "import { id, table } from '../dialect.ts'\n\nexport const tasks = table('tasks', { id: id() })\n"
  }

  it('install the dependencies if package.json changed', async () => {
    expect((await switchTo('none sqlite', 'basic B sqlite')).lines).toEqual(['npm install'])
    const memory = await smallProject()
    memory.volume.writeFileSync('/blueprints/sqlite/src/db.ts', 'newer\n')
    const { run: runner, lines } = fakeRun()
    await runSmall(memory, ['regenerate'], { run: runner })
    expect(lines).toEqual([])
  })

  it("generate a migration for the owner's tables if the database changed", async () => {
    expect((await switchTo('none sqlite', 'none postgres', ownTable)).lines).toEqual([
      'npm install',
      'npm run db:generate -- --name own_tables',
    ])
    expect((await switchTo('none sqlite', 'none postgres')).lines).toEqual(['npm install'])
    expect((await switchTo('none sqlite', 'basic B sqlite', ownTable)).lines).toEqual(['npm install'])
  })

  it('fail with exit code 1 and the command to repeat; the project stays switched', async () => {
    const answer = (line: string) =>
      line.startsWith('npm run db:generate') ? { ok: false, output: 'no\u001b[1m\n' } : undefined
    const failed = await switchTo('none sqlite', 'none postgres', ownTable, answer)
    expect(failed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('  no\\u{1b}[1m\n') })
    expect(failed.stderr).toContain(
      'The project was updated, but db:generate failed. To repeat it, run: npm run db:generate -- --name own_tables',
    )
    const asked = 'Error: Interactive prompts require a TTY terminal\n'
    const prompted = await switchTo('none sqlite', 'none postgres', ownTable, (line) =>
      line.startsWith('npm run db:generate') ? { ok: true, output: asked } : undefined,
    )
    expect(prompted).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('require a TTY terminal') })
    const offline = await switchTo('none sqlite', 'none postgres', ownTable, (line) =>
      line === 'npm install' ? { ok: false } : undefined,
    )
    expect(offline).toMatchObject({ exitCode: 1, lines: ['npm install'] })
    expect(offline.stderr).toContain('install failed. To repeat it, run: npm install')
    expect(offline.stdout).toContain('Next:\n  npm install\n  npm run db:generate -- --name own_tables\n')
  })

  it('are named after Ctrl-C', async () => {
    const switched = (at: string) =>
      switchTo('none sqlite', 'none postgres', ownTable, (line) => ({ interrupted: line === at }))
    const generating = 'npm run db:generate -- --name own_tables'
    const installing = await switched('npm install')
    expect(installing).toMatchObject({ exitCode: 130, lines: ['npm install'] })
    expect(installing.stderr).toContain(`To finish, run: npm install && ${generating}\n`)
    const installed = await switched(generating)
    expect(installed).toMatchObject({ exitCode: 130, lines: ['npm install', generating] })
    expect(installed.stderr).toContain(`To finish, run: ${generating}\n`)
  })

  it('are only listed with --no-install', async () => {
    const memory = await projectOf(stateNamed('none sqlite'))
    editOnDisk(memory, ownTable)
    const { run: runner, lines } = fakeRun()
    const { exitCode, stdout } = await regenerate(memory, ['-d', 'postgres'], { run: runner })
    expect({ exitCode, lines }).toEqual({ exitCode: 0, lines: [] })
    expect(stdout).toContain('Next:\n  npm install\n  npm run db:generate -- --name own_tables\n')
  })

  it('use the commands of the new package manager', async () => {
    const memory = await projectOf(stateNamed('none sqlite'))
    const { run: runner, lines } = fakeRun()
    const { stdout } = await run(memory, ['regenerate', '--package-manager', 'pnpm'], { run: runner })
    expect(lines).toEqual(['pnpm install --no-frozen-lockfile'])
    expect(stdout).toContain('pnpm run check')
    expect(Object.keys(tree(memory))).toContain('pnpm-workspace.yaml')
  })
})
