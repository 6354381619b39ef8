// Covers src/migrations/drizzle-kit/on-disk.ts, src/migrations/dropped.ts, src/project/schema-files.ts, src/update/plan/run-tools.ts, src/update/owner/own-tables.ts.
import { describe, expect, it } from 'vitest'
import { fakeRun, filesIn } from '../support/fixtures.ts'
import { PROJECT, runSmall, smallProject } from '../support/small-project.ts'
import { addOwnMigration, editOnDisk } from './owner-edits.ts'
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
    const { '.authsmith/undo.tmp': _, ...after } = allFiles(memory)
    expect(after).toEqual(before)
  })
})

it('the exit code does not depend on the number of conflicts', async () => {
  const memory = await smallProject()
  for (let i = 0; i < 256; i += 1) {
    memory.volume.writeFileSync(`/blueprints/core/all/src/new${i}.ts`, 'ours\n')
    memory.volume.writeFileSync(`${PROJECT}/src/new${i}.ts`, 'mine\n')
  }
  const { exitCode, stdout } = await runSmall(memory, ['regenerate', '--json'])
  expect(exitCode).toBe(4)
  expect(JSON.parse(stdout).conflicts).toHaveLength(256)
})

it("the owner's files and lines in .authsmith/ stay, and the journal is ignored", async () => {
  const memory = await projectOf(stateNamed('basic B sqlite'), {
    '/work/my-api/.authsmith/notes.md': 'mine\n',
    '/work/my-api/.authsmith/.gitignore': '!pending.json\nmine\nlock',
  })
  expect((await regenerate(memory, ['--mode', 'complete'])).exitCode).toBe(0)
  const after = allFiles(memory)
  expect(after['.authsmith/notes.md']).toBe('mine\n')
  expect(after['.authsmith/.gitignore']).toBe('!pending.json\nmine\nlock\npending.json\n*.tmp\n')
  expect((await regenerate(memory, ['--mode', 'basic'])).exitCode).toBe(0)
  expect(allFiles(memory)['.authsmith/.gitignore']).toBe(after['.authsmith/.gitignore'])
})

describe('unusual files', () => {
  it.each([
    ['emails', 'emails', 'emails/confirm_email_change.html, which is below emails, which is not a directory'],
    ['emails/layout.txt/mine', 'emails/layout.txt', 'emails/layout.txt, which is a directory'],
  ])('in the way of a new file are refused, until they are renamed: %s', async (path, blocking, what) => {
    const memory = await projectOf(stateNamed('basic B sqlite'))
    const text = { [`/work/my-api/${path}`]: 'mine\n' }
    memory.volume.fromJSON(text)
    const before = allFiles(memory)
    expect(await regenerate(memory, ['--mode', 'complete'])).toMatchObject({
      exitCode: 3,
      stderr: `create-authsmith: The update adds ${what}. Rename that, then run the command again.\n`,
    })
    expect(allFiles(memory)).toEqual(before)
    memory.volume.renameSync(`/work/my-api/${blocking}`, '/work/my-api/mine')
    expect((await regenerate(memory, ['--mode', 'complete'])).exitCode).toBe(0)
    const { [path.replace(blocking, 'mine')]: mine, ...rest } = tree(memory)
    expect(mine).toBe('mine\n')
    expect(rest).toEqual(tree(await projectOf(stateNamed('complete B sqlite'))))
  })

  it('are kept and reported: a binary file, a directory, a symbolic link', async () => {
    const memory = await projectOf(stateNamed('basic B sqlite'))
    memory.volume.rmSync('/work/my-api/README.md')
    memory.volume.mkdirSync('/work/my-api/README.md')
    memory.volume.rmSync('/work/my-api/.env')
    memory.volume.writeFileSync('/work/secrets', 'KEY=x\n')
    memory.volume.symlinkSync('/work/secrets', '/work/my-api/.env')
    memory.volume.writeFileSync('/work/my-api/src/errors/index.ts', Buffer.from([0xff, 0]))
    memory.volume.rmSync('/work/my-api/src/settings/index.ts')
    memory.volume.symlinkSync('/work/secrets', '/work/my-api/src/settings/index.ts')
    const { stdout, exitCode } = await regenerate(memory, ['--mode', 'complete'])
    expect(exitCode).toBe(0)
    for (const line of [
      'kept as it is: README.md (a directory)',
      'kept as it is: src/errors/index.ts (binary)',
      'kept as it is: src/settings/index.ts (a symbolic link)',
      '.env is a symbolic link and was not changed',
    ])
      expect(stdout).toContain(line)
    expect(memory.volume.readFileSync('/work/secrets', 'utf8')).toBe('KEY=x\n')
    expect(memory.volume.readFileSync('/work/my-api/src/errors/index.ts')).toEqual(Buffer.from([0xff, 0]))
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
    memory.volume.chmodSync('/work/my-api/src/settings/index.ts', 0o755)
    memory.volume.chmodSync('/work/my-api/.env', 0o600)
    await regenerate(memory, ['--mode', 'complete'])
    expect(memory.volume.statSync('/work/my-api/src/settings/index.ts').mode & 0o777).toBe(0o755)
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
    memory.volume.writeFileSync('/blueprints/core/sqlite/src/db.ts', 'newer\n')
    expect((await runSmall(memory, ['regenerate'])).exitCode).toBe(0)
    expect(filesIn(memory, PROJECT)['.env']).toBe('PORT=1\n')
  })
})

describe('migrations', () => {
  it('for rows are later than all before them, even if the clock goes back', async () => {
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
    expect(new Set(times).size).toBe(times.length)
    const rows = entries.flatMap(({ tag }: { tag: string }, index: number) =>
      /-rows$/.test(tag) ? index : [],
    )
    expect(rows).toHaveLength(3)
    for (const index of rows) expect(times[index]).toBeGreaterThan(Math.max(...times.slice(0, index)))
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
    expect((await switchTo('none sqlite', 'basic B sqlite')).lines).toEqual([
      'npm install --include=dev --package-lock --save',
    ])
    const memory = await smallProject()
    memory.volume.writeFileSync('/blueprints/core/sqlite/src/db.ts', 'newer\n')
    const { run: runner, lines } = fakeRun()
    await runSmall(memory, ['regenerate'], { run: runner })
    expect(lines).toEqual([])
  })

  it("generate a migration for the owner's tables if the database changed", async () => {
    expect((await switchTo('none sqlite', 'none postgres', ownTable)).lines).toEqual([
      'npm install --include=dev --package-lock --save',
      'npm run db:generate -- --name own_tables',
    ])
    expect((await switchTo('none sqlite', 'none postgres')).lines).toEqual([
      'npm install --include=dev --package-lock --save',
    ])
    expect((await switchTo('none sqlite', 'basic B sqlite', ownTable)).lines).toEqual([
      'npm install --include=dev --package-lock --save',
    ])
  })

  it('say that the migration drops what the owner removed under the other database', async () => {
    const memory = await projectOf(stateNamed('none sqlite'))
    editOnDisk(memory, (files) => {
      addOwnMigration(files, 'sqlite')
      files['src/db/schema/other.ts'] =
        "import { id, table } from '../dialect.ts'\n\nexport const other = table('other', { id: id() })\n"
    })
    const folder = '/work/my-api/migrations/sqlite'
    const read = (path: string) => String(memory.volume.readFileSync(`${folder}/${path}`))
    const drop = () => {
      const journal = JSON.parse(read('meta/_journal.json'))
      journal.entries.push({ ...journal.entries[1], idx: 2, tag: '0002_own_tables' })
      memory.volume.fromJSON({
        [`${folder}/meta/_journal.json`]: JSON.stringify(journal),
        [`${folder}/0002_own_tables.sql`]: 'DROP TABLE `tasks`;\n',
        [`${folder}/meta/0002_snapshot.json`]: read('meta/0000_snapshot.json'),
      })
    }
    const before = read('meta/_journal.json')
    const switchTo = (database: string) => {
      const { run: runner } = fakeRun((line) => {
        if (database === 'sqlite' && line.includes('db:generate')) drop()
        return { output: '[✓] Your SQL migration file' }
      })
      return run(memory, ['regenerate', '-d', database], { run: runner })
    }
    expect((await switchTo('postgres')).stdout).not.toContain('drop')
    const { stdout } = await switchTo('sqlite')
    expect(stdout).toContain('lack, and drops what they no longer define\n')
    // Left behind, it would run at a later switch.
    expect(await regenerate(memory, ['--abort', '--yes'])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('migrations/sqlite/meta/_journal.json changed since the update.'),
    })
    memory.volume.writeFileSync(`${folder}/meta/_journal.json`, before)
    expect((await regenerate(memory, ['--abort'])).exitCode).toBe(0)
  })

  it('are announced by --dry-run', async () => {
    const memory = await projectOf(stateNamed('none sqlite'))
    const dryRun = async (...flags: string[]) => (await regenerate(memory, [...flags, '--dry-run'])).stdout
    const note = 'db:generate writes what their migrations for postgres lack'
    expect(await dryRun('-d', 'postgres')).not.toContain(note)
    editOnDisk(memory, ownTable)
    expect(await dryRun('-d', 'postgres')).toContain(`your tables tasks: ${note}\n`)
    expect(await dryRun('--mode', 'basic', '--profile', 'B')).not.toContain('your tables')
  })

  it('generate the migration of tables elsewhere, where drizzle.config.ts lists them', async () => {
    const edit = (files: Record<string, string>) => {
      files['src/billing/tables.ts'] =
        "import { id, table } from '../db/dialect.ts'\n\nexport const bills = table('bills', { id: id() })\n"
      files['drizzle.config.ts'] =
        files['drizzle.config.ts']?.replace(
          /schema: .*/,
          "// schema: './old.ts',\n  schema: ['./src/db/schema/*.ts', './src/{billing,shop}/**/*.ts'],",
        ) ?? ''
    }
    const { exitCode, lines } = await switchTo('none sqlite', 'none postgres', edit)
    expect({ exitCode, lines }).toEqual({
      exitCode: 0,
      lines: ['npm install --include=dev --package-lock --save', 'npm run db:generate -- --name own_tables'],
    })
  })

  it('fail with exit code 1 and the command to repeat; the project stays switched', async () => {
    const answer = (line: string) =>
      line.startsWith('npm run db:generate') ? { ok: false, output: 'no\u001b[1m\n' } : undefined
    const failed = await switchTo('none sqlite', 'none postgres', ownTable, answer)
    expect(failed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('  no\\u{1b}[1m\n') })
    expect(failed.stderr).toContain(
      'The project was updated, but db:generate failed. To repeat it, run: npm run db:generate -- --name own_tables',
    )
    const stack = '    at async run (/deps/bin.cjs:1:7)\n'.repeat(15)
    const asked = `> drizzle-kit generate\nError: Interactive prompts require a TTY terminal (…)\n${stack}`
    const prompted = await switchTo('none sqlite', 'none postgres', ownTable, (line) =>
      line.startsWith('npm run db:generate') ? { ok: true, output: asked } : undefined,
    )
    expect(prompted).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining(
        '\n  > drizzle-kit generate\n  It needs an answer from you: run the command in a terminal.\n\nNext:',
      ),
    })
    expect(prompted.stderr).toContain('To repeat it, run: npm run db:generate -- --name own_tables')
    const frames = 'npm error     at async open (node:internal/fs/promises:639:25)\n'.repeat(15)
    const output = `npm error code ENOENT\n${frames}npm ERR!     at new NodeError\nnpm error at least npm 10\n`
    const offline = await switchTo('none sqlite', 'none postgres', ownTable, (line) =>
      line === 'npm install --include=dev --package-lock --save' ? { ok: false, output } : undefined,
    )
    expect(offline).toMatchObject({
      exitCode: 1,
      lines: ['npm install --include=dev --package-lock --save'],
      stdout: expect.stringContaining('\n  npm error code ENOENT\n  npm error at least npm 10\n\nNext:'),
    })
    expect(offline.stderr).toContain('install failed. To repeat it, run: npm install')
    expect(offline.stdout).toContain('Next:\n  npm install\n  npm run db:generate -- --name own_tables\n')
  })

  it('are named after Ctrl-C', async () => {
    const switched = (at: string) =>
      switchTo('none sqlite', 'none postgres', ownTable, (line) => ({ interrupted: line === at }))
    const generating = 'npm run db:generate -- --name own_tables'
    const installing = await switched('npm install --include=dev --package-lock --save')
    expect(installing).toMatchObject({
      exitCode: 130,
      lines: ['npm install --include=dev --package-lock --save'],
    })
    expect(installing.stderr).toContain(`To finish, run: npm install && ${generating}\n`)
    const installed = await switched(generating)
    expect(installed).toMatchObject({
      exitCode: 130,
      lines: ['npm install --include=dev --package-lock --save', generating],
    })
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
    expect(lines).toEqual(['pnpm install --prod=false --lockfile --no-frozen-lockfile'])
    expect(stdout).toContain('pnpm run check')
    expect(Object.keys(tree(memory))).toContain('pnpm-workspace.yaml')
  })
})

describe("a switch of the database that would lose the owner's tables writes nothing and says how to go on", () => {
  const uses = (core: string) =>
    `import { sqliteTable, text } from '${core}'\n\nexport const bills = sqliteTable('bills', { id: text() })\n`
  it.each<[string, Record<string, string>, string]>([
    [
      'written for one database',
      { 'src/db/schema/bills.ts': uses('drizzle-orm/sqlite-core') },
      'src/db/schema/bills.ts (bills) uses drizzle-orm/sqlite-core: write it with src/db/dialect.ts or drizzle-orm/pg-core first',
    ],
    [
      'in a file that drizzle.config.ts does not list',
      { 'src/bills.ts': uses('./db/dialect.ts') },
      'src/bills.ts (bills) is not in `schema` of drizzle.config.ts: add it there first',
    ],
    [
      'in files that only the configuration itself can name',
      { 'drizzle.config.ts': 'export default { schema: files() }\n' },
      '`schema` of drizzle.config.ts does not list paths inside the project: write it as such a list first',
    ],
  ])('%s', async (_, files, sentence) => {
    const memory = await projectOf(stateNamed('none sqlite'))
    editOnDisk(memory, (all) => Object.assign(all, files))
    const before = allFiles(memory)
    const toPostgres = flagsOf(stateNamed('none postgres'))
    const { exitCode, stderr } = await regenerate(memory, toPostgres)
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: `create-authsmith: The new database would not get all of your tables. ${sentence}. To switch without them, pass \`--yes\`.\n`,
    })
    expect(allFiles(memory)).toEqual(before)
    expect((await regenerate(memory, [...toPostgres, '--dry-run'])).stdout).toContain(sentence)
    const { exitCode: accepted, stdout } = await regenerate(memory, [...toPostgres, '--yes'])
    expect(accepted).toBe('drizzle.config.ts' in files ? 4 : 0)
    expect(stdout).toContain(`not in the new database: ${sentence}\n`)
  })

  it('is not stopped by tables of tests, which the service does not have', async () => {
    const memory = await projectOf(stateNamed('complete B sqlite'))
    editOnDisk(memory, (all) => {
      all['test/security/error-leaks.test.ts'] += uses('../../src/db/dialect.ts')
      all['test/support/bills.ts'] = uses('../../src/db/dialect.ts')
      all['src/bills.test.ts'] = uses('drizzle-orm/sqlite-core')
    })
    const before = allFiles(memory)
    const { exitCode, stdout } = await regenerate(memory, flagsOf(stateNamed('complete B postgres')))
    expect(exitCode).toBe(0)
    expect(stdout).not.toMatch(/not in the new database|your tables/)
    for (const path of ['test/security/error-leaks.test.ts', 'test/support/bills.ts', 'src/bills.test.ts'])
      expect(allFiles(memory)[path]).toBe(before[path])
  })

  it('is not stopped by tables of another mode, or of another database that the owner has too', async () => {
    const memory = await projectOf(stateNamed('complete B sqlite'))
    editOnDisk(memory, (all) => {
      all['src/db/schema/bills.ts'] = uses('drizzle-orm/pg-core')
      all['scripts/table.ts'] = "import { table } from 'cli-table'\n\nconsole.log(table('bills'))\n"
    })
    expect((await regenerate(memory, flagsOf(stateNamed('complete B postgres')))).exitCode).toBe(0)
  })
})
