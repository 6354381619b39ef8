import { copyFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, type TestContext } from 'vitest'
import { succeed } from '../support/command.ts'
import { cli, createProject, type Report } from '../support/create-project.ts'
import { LONG_TIMEOUTS, serverMissing } from './harness/database.ts'
import { createDatabase, type PostgresServer, runSql } from './harness/postgres.ts'
import { type Service, startService } from './harness/service.ts'
import { steps } from './harness/steps.ts'
import { LOGIN, ME, newUser, PASSWORD, REGISTER } from './suites/accounts.ts'
import { auth } from './suites/complete-context.ts'
import { livingProject, query } from './suites/living.ts'

/** No range, because candidates differ. Delete this file once blueprints/ has Drizzle 1.0. */
const CANDIDATE = '1.0.0-rc.5'

const MEMOS = `import { id, index, integer, table, text } from '../dialect.ts'
import { users } from './users.ts'

export const memos = table(
  'memos',
  {
    id: id(),
    author: integer('author')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    body: text('body').notNull().default('empty'),
  },
  (memo) => [index('memos_author').on(memo.author, memo.body)],
)
`

/** An owner upgrades to the release candidate of Drizzle 1.0. Each step needs the previous ones. */
describe(`a project with Drizzle ${CANDIDATE}`, () => {
  const step = steps()
  let project: Report
  let refreshToken: string
  const { npm, regenerate } = livingProject(() => project)
  const inProject = (command: string, ...args: string[]) => succeed(command, args, { cwd: project.directory })
  const git = async (...args: string[]) => (await inProject('git', ...args)).stdout
  /** Commits all changes. There is nothing to update. */
  const commit = () => regenerate('--no-install')

  const upgrade = async (database: string) => {
    const packages = ['drizzle-orm', 'drizzle-kit'].map((name) => `${name}@${CANDIDATE}`)
    await npm('install', '--no-audit', '--no-fund', '--save-exact', ...packages)
    await inProject('npx', 'drizzle-kit', 'up')
    expect(folders(database).filter((name) => !/^\d{14}_\w+$/.test(name))).toEqual([])
    await npm('run', 'check')
    await npm('run', 'build')
  }
  const folders = (database: string) => readdirSync(join(project.directory, 'migrations', database)).sort()
  const nameOf = (folder: string) => folder.replace(/^\d{14}_/, '')
  /** What the candidate itself says about the migrations. Builds the service, which checks its types. */
  const isUpToDate = async () => {
    expect((await npm('run', 'db:generate')).stdout).toContain('No schema changes')
    expect((await inProject('npx', 'drizzle-kit', 'check')).stdout).toContain("Everything's fine")
    await npm('run', 'build')
  }
  const newDatabase = async (context: TestContext) => {
    const missing = serverMissing('postgres')
    if (missing) context.skip(missing)
    return createDatabase(inject('postgres') as PostgresServer)
  }
  const logIn = async (service: Service) => {
    const login = await service.post(LOGIN, { username: 'alice', password: PASSWORD })
    expect(login.status).toBe(200)
    expect((await service.get(ME, { token: login.body.access_token })).status).toBe(200)
    return login.body.refresh_token as string
  }
  const worksInBasic = async (env: Record<string, string> = {}) => {
    const service = await startService({ cwd: project.directory, env })
    await logIn(service)
    await service.stop()
  }
  /** Starts the service, refreshes the session of the last start, and logs in. */
  const works = async (env: Record<string, string> = {}) => {
    const service = await startService({ cwd: project.directory, env })
    expect((await service.post(auth('refresh'), { refresh_token: refreshToken })).status).toBe(200)
    refreshToken = await logIn(service)
    await service.stop()
  }

  beforeAll(async () => {
    const parent = mkdtempSync(join(inject('scratch'), 'candidate-'))
    project = await createProject(parent, ['my-api', '--mode', 'complete', '--profile', 'B', '--yes'])
  })

  const applied = () => query(project.directory, 'SELECT hash, created_at FROM __drizzle_migrations')

  step('a user registers before the upgrade', async () => {
    await npm('run', 'db:generate', '--', '--custom', '--name', 'recent')
    const file = join(project.directory, 'migrations/sqlite/0001_recent.sql')
    // Fails if it runs again.
    writeFileSync(file, 'CREATE INDEX users_recent ON users (created_at)')
    await npm('run', 'build')
    const service = await startService({ cwd: project.directory })
    expect((await service.post(REGISTER, newUser('alice'))).status).toBe(201)
    refreshToken = await logIn(service)
    await service.stop()
    expect(applied()).toHaveLength(2)
    await commit()
    await git('tag', 'before')
    copyFileSync(join(project.directory, '.env'), join(project.directory, '.env.before'))
  })

  step('after drizzle-kit up, the checks pass, no migration runs again, and sessions stay', async () => {
    const before = applied()
    await upgrade('sqlite')
    await works()
    expect((await npm('run', 'db:migrate')).stdout).toContain('up to date')
    expect(applied()).toEqual(before)
    await commit()
  })

  step('db:generate finds no changes', async () => {
    expect((await npm('run', 'db:generate')).stdout).toContain('No schema changes')
    expect(await git('status', '--porcelain')).toBe('')
  })

  step('regenerate updates what needs no migration, and keeps the versions', async () => {
    const check = await cli(['regenerate', '--check'], { cwd: project.directory })
    expect(check).toMatchObject({ code: 0, stderr: '' })
    const status = await cli(['status', '--json'], { cwd: project.directory })
    expect(JSON.parse(status.stdout).edited).toContain('package.json')
    await regenerate('--package-manager', 'pnpm', '--no-install')
    const { dependencies } = JSON.parse(readFileSync(join(project.directory, 'package.json'), 'utf8'))
    expect(dependencies['drizzle-orm']).toBe(CANDIDATE)
    expect((await cli(['regenerate', '--abort'], { cwd: project.directory })).code).toBe(0)
  })

  step('a table of the owner gets a migration', async () => {
    writeFileSync(join(project.directory, 'src/db/schema/memos.ts'), MEMOS)
    await npm('run', 'db:generate', '--', '--name', 'memos')
    await npm('run', 'build')
    await works()
    query(project.directory, "INSERT INTO memos (author, body) SELECT id, 'kept' FROM users")
    await commit()
  })

  step('a switch of the mode adds migrations to the layout, and --abort takes them back', async () => {
    const before = folders('sqlite')
    await regenerate('--mode', 'basic', '--no-install')
    expect(folders('sqlite').slice(before.length).map(nameOf)).toEqual(['basic-b', 'basic-b-rows'])
    expect((await cli(['regenerate', '--abort'], { cwd: project.directory })).code).toBe(0)
    expect(await git('status', '--porcelain')).toBe('')
    expect(folders('sqlite')).toEqual(before)
  })

  step('its migrations run once', async () => {
    const before = applied()
    await regenerate('--mode', 'basic', '--no-install')
    await isUpToDate()
    await worksInBasic()
    const after = applied()
    expect(after).toHaveLength(before.length + 2)
    await worksInBasic()
    expect(applied()).toEqual(after)
  })

  step('after the switch back, the session and the rows are still there', async () => {
    await regenerate('--mode', 'complete', '--no-install')
    await isUpToDate()
    await works()
    expect(query(project.directory, 'SELECT body FROM memos')).toEqual([{ body: 'kept' }])
    await commit()
  })

  step('a switch of the database writes the layout, and copy-data reads it', async (context) => {
    const env = { DATABASE_URL: await newDatabase(context), ...LONG_TIMEOUTS }
    await regenerate('--database', 'postgres')
    const names = folders('postgres').map(nameOf)
    expect(names.slice(0, 2)).toEqual(['init', 'basic-b'])
    expect(names.at(-1)).toBe('own_tables')
    await isUpToDate()
    const copied = await cli(['copy-data', '--from', 'file:data/app.db', '--to', env.DATABASE_URL], {
      cwd: project.directory,
    })
    expect(copied).toMatchObject({ code: 0, stdout: expect.stringMatching(/^users +1 /m) })
    await works(env)
    await regenerate('--profile', 'A', '--no-install')
    await isUpToDate()
    await works(env)
    await regenerate('--profile', 'B', '--no-install')
    await isUpToDate()
    await works(env)
    const rows = await runSql(env.DATABASE_URL, 'SELECT body FROM memos')
    expect(rows).toBe('kept\n')
    await commit()
  })

  step('a project on PostgreSQL is switched after drizzle-kit up', async (context) => {
    const env = { DATABASE_URL: await newDatabase(context), ...LONG_TIMEOUTS }
    const directory = `${project.directory}-postgres`
    await succeed('git', ['clone', '--quiet', project.directory, directory], { cwd: project.directory })
    copyFileSync(join(project.directory, '.env.before'), join(directory, '.env'))
    project = { ...project, directory }
    await git('checkout', '--quiet', 'before')
    await regenerate('--database', 'postgres', '--no-install')
    await upgrade('postgres')

    // Drizzle Kit 0.31 recorded these types and the conditions of these indexes in another form.
    await npm('run', 'db:generate')
    const folder = join(project.directory, 'migrations/postgres')
    const written = readFileSync(join(folder, folders('postgres').at(-1) ?? '', 'migration.sql'), 'utf8')
    const known =
      /^ALTER TABLE "\w+" ALTER COLUMN "\w+" SET DATA TYPE timestamp\(3\) with time zone USING |^(DROP|CREATE) INDEX "(outbox_order|outbox_domain|users_unclaimed)"/
    expect(written.split('--> statement-breakpoint\n').filter((sql) => !known.test(sql))).toEqual([])
    await isUpToDate()
    const service = await startService({ cwd: project.directory, env })
    expect((await service.post(REGISTER, newUser('alice'))).status).toBe(201)
    refreshToken = await logIn(service)
    await service.stop()
    await regenerate('--mode', 'basic', '--no-install')
    await isUpToDate()
    await worksInBasic(env)
    await regenerate('--mode', 'complete', '--no-install')
    await isUpToDate()
    await works(env)
    const count = await runSql(env.DATABASE_URL, 'SELECT count(*) FROM __drizzle_migrations')
    expect(count).toBe(`${folders('postgres').length}\n`)
  })
})
