import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { serverMissing } from './harness/database.ts'
import { createDatabase, type PostgresServer } from './harness/postgres.ts'
import { createProject, type Report } from './harness/project.ts'
import { startService } from './harness/service.ts'
import { LOGIN, newUser, REGISTER } from './suites/accounts.ts'
import { livingProject } from './suites/living.ts'

/** The kinds of switch that the living project does not go through; each step needs the ones before it. */
describe('a project that is switched', () => {
  let project: Report
  const { regenerate, npm } = livingProject(() => project)

  beforeAll(async () => {
    const parent = mkdtempSync(join(inject('scratch'), 'edges-'))
    project = await createProject(parent, ['my-api', '--mode', 'complete', '--profile', 'B', '--yes'])
  })

  /** Its checks and tests pass, its migrations are complete, and alice is there. */
  async function works({
    path = LOGIN,
    status = 200,
    env = {},
  }: {
    path?: string
    status?: number
    env?: Record<string, string>
  }) {
    await npm('run', 'check')
    await npm('test')
    expect((await npm('run', 'db:generate')).stdout).toContain('No schema changes')
    await npm('run', 'build')
    const service = await startService({ cwd: project.directory, env })
    const { username, email, password } = newUser('alice')
    const body = path === REGISTER ? { username, email, password } : { username, password }
    expect((await service.post(path, body)).status).toBe(status)
    await service.stop()
  }

  test('complete B → complete A', async () => {
    await works({ path: REGISTER, status: 201 })
    await regenerate('--profile', 'A')
    await works({})
  })

  test('complete A → none', async () => {
    await regenerate('--mode', 'none')
    await works({ status: 404 })
  })

  test('none → basic B', async () => {
    await regenerate('--mode', 'basic', '--profile', 'B')
    await works({})
  })

  test('sqlite → postgres → sqlite', async (context) => {
    const missing = serverMissing('postgres')
    if (missing) context.skip(missing)
    await regenerate('--database', 'postgres')
    const url = await createDatabase(inject('postgres') as PostgresServer)
    await works({ path: REGISTER, status: 201, env: { DATABASE_URL: url } })
    await regenerate('--database', 'sqlite')
    await works({})
  })
})
