import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { buildUnchecked } from '../support/build.js'
import { run } from '../support/command.ts'
import { createLinked, type Report } from '../support/create-project.ts'
import type { Pooler } from '../support/pooler.js'
import { newDatabase, serverMissing } from './harness/database.ts'
import { startInstances } from './harness/instances.ts'
import { startPooler } from './harness/pooler.ts'
import { runSql } from './harness/postgres.ts'
import { steps } from './harness/steps.ts'
import { LOGIN, loggedIn, ME, PASSWORD } from './suites/accounts.ts'
import { livingProject } from './suites/living.ts'

/**
 * A project of mode basic behind PgBouncer in transaction mode, which switches to mode complete. Two instances start
 * together and share two server connections: a build of indexes needs both. Each step needs the previous ones.
 */
describe('a switch behind a transaction pooler', () => {
  const [server, found] = [serverMissing('postgres'), inject('pooler')]
  const missing = server ?? ('missing' in found ? found.missing : undefined)
  if (missing) return test('PgBouncer in front of the database', (context) => context.skip(missing))

  const step = steps()
  let project: Report
  let pooler: Pooler
  let direct: string
  let env: Record<string, string>
  const { regenerate } = livingProject(() => project)
  const start = () => startInstances(2, { cwd: project.directory, env })

  beforeAll(async () => {
    const parent = mkdtempSync(join(inject('scratch'), 'pooled-'))
    const answers = [
      '--mode',
      'basic',
      '--profile',
      'B',
      '--database',
      'postgres',
      '--add',
      'backup,common-passwords',
      '--yes',
    ]
    project = await createLinked(parent, ['my-api', ...answers])
    pooler = await startPooler(2)
    const database = await newDatabase(project)
    direct = database.env.DATABASE_URL
    env = { ...database.env, DATABASE_URL: pooler.urlOf(direct), RATE_LIMIT_ENABLED: 'false' }
    return () => pooler.stop()
  })

  step('mode basic: a user registers, logs in and is known', async () => {
    buildUnchecked(project.directory)
    const service = await start()
    const { token } = await loggedIn(service, 'pooled')
    expect(await service.get(ME, { token })).toMatchObject({ status: 200, body: { username: 'pooled' } })
    await service.stop()
  })

  // pg_dump empties the search_path of a connection that other clients get next.
  step('a backup is refused, and disturbs no other client', async () => {
    const cwd = project.directory
    const file = join(cwd, '../backup')
    const { code, stderr } = await run('npm', ['run', 'db:backup', '--', file], { cwd, env })
    expect([code, stderr]).toEqual([1, expect.stringContaining('DATABASE_URL leads to a pooler')])
    expect(existsSync(file)).toBe(false)
    for (let round = 0; round < 10; round += 1)
      expect(await runSql(env.DATABASE_URL ?? '', 'SHOW search_path')).toBe('"$user", public\n')
  })

  step('mode complete: both instances start, and the user logs in', async () => {
    await regenerate('--mode', 'complete')
    buildUnchecked(project.directory)
    const service = await start()
    const { status, body } = await service.post(LOGIN, { username: 'pooled', password: PASSWORD })
    expect(status).toBe(200)
    expect(await service.get(ME, { token: body.access_token })).toMatchObject({
      status: 200,
      body: { username: 'pooled', is_verified: false },
    })
    await service.stop()
  })

  step('mode basic again: all users are changed, and log in', async () => {
    await regenerate('--mode', 'basic')
    buildUnchecked(project.directory)
    const service = await start()
    expect(await runSql(direct, 'SELECT count(*) FROM users WHERE basic_since IS NULL')).toBe('0\n')
    const { status } = await service.post(LOGIN, { username: 'pooled', password: PASSWORD })
    expect(status).toBe(200)
    await service.stop()
  })

  step('all indexes are complete, and nothing stays locked or set', async () => {
    expect(await runSql(direct, 'SELECT count(*) FROM pg_index WHERE NOT indisvalid')).toBe('0\n')
    expect(await runSql(direct, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`)).toBe('0\n')
    const left = `SELECT current_setting('statement_timeout'), current_setting('lock_timeout')`
    for (let round = 0; round < 5; round += 1)
      expect(await runSql(env.DATABASE_URL ?? '', left)).toBe('0|0\n')
  })
})
