import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject } from 'vitest'
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
    const folders = readdirSync(join(project.directory, 'migrations', database))
    expect(folders.filter((name) => !/^\d{14}_\w+$/.test(name))).toEqual([])
    await npm('run', 'check')
    await npm('run', 'build')
  }
  const logIn = async (service: Service) => {
    const login = await service.post(LOGIN, { username: 'alice', password: PASSWORD })
    expect(login.status).toBe(200)
    expect((await service.get(ME, { token: login.body.access_token })).status).toBe(200)
    return login.body.refresh_token as string
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

  step('regenerate refuses what needs a migration, in one line, and changes nothing', async () => {
    for (const flags of [
      ['--mode', 'basic'],
      ['--database', 'postgres'],
    ]) {
      const refused = await cli(['regenerate', ...flags, '--yes'], { cwd: project.directory })
      expect(refused).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(
          /^create-authsmith: migrations\/sqlite\/ has the layout of Drizzle Kit 1\.0, .*\n$/,
        ),
      })
    }
    expect(await git('status', '--porcelain')).toBe('')
  })

  step('the switch works as the refusal says, and copy-data reads the layout', async (context) => {
    const missing = serverMissing('postgres')
    if (missing) context.skip(missing)
    const DATABASE_URL = await createDatabase(inject('postgres') as PostgresServer)
    const env = { DATABASE_URL, ...LONG_TIMEOUTS }

    await git('rm', '-r', '--quiet', 'migrations')
    await git('checkout', '--quiet', 'before', '--', 'migrations', 'package.json', 'package-lock.json')
    await regenerate('--database', 'postgres', '--no-install')
    await upgrade('postgres')
    await inProject('npx', 'drizzle-kit', 'up', '--dialect', 'sqlite', '--out', 'migrations/sqlite')
    const copied = await cli(['copy-data', '--from', 'file:data/app.db', '--to', DATABASE_URL], {
      cwd: project.directory,
    })
    expect(copied).toMatchObject({ code: 0, stdout: expect.stringMatching(/^users +1 /m) })
    await works(env)

    // Drizzle Kit 0.31 recorded these types and the conditions of these indexes in another form.
    await npm('run', 'db:generate')
    const folder = join(project.directory, 'migrations/postgres')
    const written = readFileSync(
      join(folder, readdirSync(folder).sort().at(-1) ?? '', 'migration.sql'),
      'utf8',
    )
    const known =
      /^ALTER TABLE "\w+" ALTER COLUMN "\w+" SET DATA TYPE timestamp\(3\) with time zone USING |^(DROP|CREATE) INDEX "(outbox_order|outbox_domain|users_unclaimed)"/
    expect(written.split('--> statement-breakpoint\n').filter((sql) => !known.test(sql))).toEqual([])
    expect((await npm('run', 'db:generate')).stdout).toContain('No schema changes')
    const count = () => runSql(DATABASE_URL, 'SELECT count(*) FROM __drizzle_migrations')
    expect(await count()).toBe('1\n')
    await works(env)
    expect(await count()).toBe('2\n')
  })
})
