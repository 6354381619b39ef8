import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject } from 'vitest'
import { buildUnchecked } from '../support/build.js'
import { cli, createProject, type Report } from '../support/create-project.ts'
import { linkPackages } from '../support/packages.ts'
import { LONG_TIMEOUTS, serverMissing } from './harness/database.ts'
import { startMailServer } from './harness/mail-server.ts'
import { createDatabase, type PostgresServer } from './harness/postgres.ts'
import { startService } from './harness/service.ts'
import { steps } from './harness/steps.ts'
import { LOGIN, newUser, REGISTER } from './suites/accounts.ts'
import { auth, mailSettings, meStatus, subjects, type Tokens, tokensIn } from './suites/complete-context.ts'
import { untilLogged } from './suites/complete-worker.ts'
import { livingProject, query } from './suites/living.ts'
import { isWhole } from './variants/every-run.ts'

/**
 * The switches that living.test.ts does not cover. Each step needs the previous ones. Of the project's own tests, those of
 * changed code run, and `check` runs after an edit: regenerate-pairs.test.ts compares each file with a new project, which
 * runs all of them.
 */
describe('a switched project', () => {
  const step = steps()
  let project: Report
  const { regenerate, regenerateAndInstall, regenerateToConflicts, npm, testOwn } = livingProject(
    () => project,
  )

  beforeAll(async () => {
    const parent = mkdtempSync(join(inject('scratch'), 'edges-'))
    project = await createProject(parent, ['my-api', '--mode', 'complete', '--profile', 'B', '--add', 'none'])
  })

  /** Checks that the migrations are complete, and alice can register or log in. */
  async function works(given: Parameters<typeof answers>[0]) {
    if (isWhole) await npm('run', 'check')
    expect((await npm('run', 'db:generate')).stdout).toContain('No schema changes')
    await answers(given)
  }

  async function answers({
    path = LOGIN,
    status = 200,
    user = 'alice',
    env = {},
  }: {
    path?: string
    status?: number
    user?: string
    env?: Record<string, string>
  }) {
    buildUnchecked(project.directory)
    const service = await startService({ cwd: project.directory, env })
    const { username, email, password } = newUser(user)
    const body = path === REGISTER ? { username, email, password } : { username, password }
    const answer = await service.post(path, body)
    expect(answer.status).toBe(status)
    await service.stop()
    return answer
  }

  /** The statuses of an access token and a refresh token. */
  async function statusesOf({ access, refresh }: Tokens) {
    const service = await startService({ cwd: project.directory })
    const me = await meStatus(service, access)
    const { status } = await service.post(auth('refresh'), { refresh_token: refresh })
    await service.stop()
    return [me, status]
  }

  step('complete B becomes complete A', async () => {
    await answers({ path: REGISTER, status: 201 })
    const ofB = tokensIn(await answers({}))
    expect(await statusesOf(ofB)).toEqual([200, 200])
    const again = tokensIn(await answers({}))
    await regenerate('--profile', 'A')
    await works({})
    expect(await statusesOf(again)).toEqual([401, 401])
    // The email of alice has a code of profile B and was given up, this one waits.
    await answers({ path: REGISTER, status: 201, user: 'bob' })
    await testOwn('complete-a-sqlite')
  })

  /** Files that mode none does not have: a route, a test and a table. */
  const edited = [
    'src/routes/api/v1/auth/login.ts',
    'test/security/forged-tokens.test.ts',
    'src/db/schema/attempts.ts',
  ].map((path) => ({ path, text: () => readFileSync(join(project.directory, path), 'utf8') }))

  step('complete A becomes none, after the emails that wait are sent as the report advises', async () => {
    const { stdout } = await cli(['regenerate', '--mode', 'none', '--dry-run'], { cwd: project.directory })
    const [, waiting = ''] =
      /^ {2}emails that wait are not sent in mode none: .* (SELECT .*)$/m.exec(stdout) ?? []
    const count = () => Object.values(query(project.directory, waiting)[0])
    expect(count()).toEqual([1])
    const mailServer = await startMailServer(project.directory)
    const service = await startService({ cwd: project.directory, env: mailSettings('A', mailServer) })
    const mail = await mailServer.next('bob@example.com', subjects.A.verification)
    await untilLogged([service], 'mail.sent', 1)
    const token = /#token=(\S+)/.exec(mail.text)?.[1]
    expect((await service.post(auth('verify-email'), { token })).status).toBe(200)
    await service.stop()
    await mailServer.stop()
    expect(count()).toEqual([0])
    for (const { path } of edited) appendFileSync(join(project.directory, path), "void 'ours'\n")
    const switched = await regenerateToConflicts('--mode', 'none')
    expect(switched.stdout.split(waiting)).toHaveLength(2)
    // A table stays. The owner deletes what would not work.
    for (const { path } of edited.slice(0, -1)) {
      expect(switched.stdout).toContain(`CONFLICT: ${path} (needs `)
      rmSync(join(project.directory, path))
    }
    expect((await cli(['regenerate', '--continue', '--no-install'], { cwd: project.directory })).code).toBe(0)
    linkPackages(project.directory, inject('modules'))
    await works({ status: 404 })
    await testOwn('none-sqlite')
  })

  step('none becomes basic B, with the edit that stayed', async () => {
    await regenerate('--mode', 'basic', '--profile', 'B')
    expect(edited.map(({ text }) => text().includes("void 'ours'\n"))).toEqual([false, false, true])
    await npm('run', 'check')
    await works({})
  })

  step('SQLite becomes PostgreSQL and SQLite again', async (context) => {
    const missing = serverMissing('postgres')
    if (missing) context.skip(missing)
    await regenerateAndInstall('--database', 'postgres')
    const url = await createDatabase(inject('postgres') as PostgresServer)
    await works({ path: REGISTER, status: 201, env: { DATABASE_URL: url, ...LONG_TIMEOUTS } })
    await regenerate('--database', 'sqlite')
    await works({})
    await testOwn('basic-b-sqlite')
  })
})
