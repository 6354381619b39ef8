import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import { type DatabaseKind, newDatabase, serverMissing } from '../harness/database.ts'
import { type Service, startService } from '../harness/service.ts'
import { isWhole } from '../variants/every-run.ts'
import { account, addOnPaths, LOGIN, ME, type Profile, REGISTER } from './accounts.ts'
import { docsSuite } from './docs.ts'
import { emailChangeSuite } from './email-change.ts'
import { loginSuite } from './login.ts'
import { openapiSuite } from './openapi.ts'
import { ownerSuite } from './owner.ts'
import { processSuite } from './process.ts'
import { createVariant, projectSuite, refusedSettingsSuite, settingsOf } from './project.ts'
import { registrationSuite } from './registration.ts'
import { secretSuite } from './secret.ts'
import { userCommandSuite } from './user-command.ts'

/** All tests of mode basic in one profile, from the created project to every endpoint. */
export function basicSuite(profile: Profile, database: DatabaseKind): void {
  const secret = profile === 'A' ? 'SECRET_KEY' : 'JWT_SECRET_KEY'
  const algorithm = profile === 'A' ? 'ALGORITHM' : 'JWT_ALGORITHM'
  const flags = ['my-api', '--mode', 'basic', '--profile', profile, '--database', database, '--add', 'none']
  const example = `basic-${profile.toLowerCase()}-${database}`
  let project: Report
  let service: Service

  describe(`mode basic, profile ${profile}, ${database}`, () => {
    beforeAll(async () => {
      project = await createVariant(example, mkdtempSync(join(inject('scratch'), 'basic-')), flags)
    })

    projectSuite(example, () => project)
    const missing = serverMissing(database)
    if (missing)
      return test('tests of the service need a database server', (context) => context.skip(missing))

    docsSuite(example, 'my-api', () => project)
    refusedSettingsSuite(
      () => project,
      [
        { [secret]: 'x'.repeat(31) },
        { [algorithm]: 'none' },
        { [algorithm]: 'RS256' },
        { PORT: 'http' },
        { TRUST_PROXY: 'true' },
        { TRUST_PROXY: '1' },
      ],
    )

    secretSuite(() => project, flags, secret)

    describe('over HTTP', () => {
      beforeAll(async () => {
        const limits = { RATE_LIMIT_AUTH_REQUESTS: '100000', RATE_LIMIT_REGISTER: '1000' }
        const env = { ...(await newDatabase(project)).env, ...limits }
        service = await startService({ cwd: project.directory, env })
        return () => service.stop().then(() => {})
      })

      openapiSuite(
        () => service,
        {
          '/health/live': ['get'],
          '/health/ready': ['get'],
          [REGISTER]: ['post'],
          [LOGIN]: ['post'],
          [ME]: ['get', 'head', 'put'],
        },
        () => addOnPaths(project),
      )
      registrationSuite({ mode: 'basic', profile }, () => service)
      loginSuite(
        { mode: 'basic', profile },
        () => service,
        () => settingsOf(project.directory, '.env'),
      )
      emailChangeSuite({ mode: 'basic', profile }, () => service)

      test('endpoints of mode complete do not exist', async () => {
        for (const name of [
          'refresh',
          'logout',
          'logout-all',
          'verify-email',
          'forgot-password',
          'reset-password',
        ]) {
          expect((await service.post(`/api/v1/auth/${name}`, {})).status).toBe(404)
        }
        expect((await service.get('/api/v1/auth/devices')).status).toBe(404)
      })

      test('the log contains no password and no token', () => {
        expect(service.running.output()).toContain('login succeeded')
        expect(service.running.output()).not.toMatch(/Correct-Horse-7|Wrong-Horse-7|eyJ|argon2|\$2[aby]\$/)
      })
    })

    // Mode complete has the same code for both.
    if (isWhole) {
      processSuite(() => project, account)
      userCommandSuite(profile, () => project)
    }
    ownerSuite(() => project)
  })
}
