import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { allowedAddOns } from '../../../src/answers/add-ons.ts'
import type { Report } from '../../support/create-project.ts'
import { type DatabaseKind, newDatabase, type OwnDatabase, serverMissing } from '../harness/database.ts'
import { type Instances, startInstances } from '../harness/instances.ts'
import { MAIL_LOGIN, type MailServer, startMailServer } from '../harness/mail-server.ts'
import { createSecrets, noteSecrets } from '../harness/secrets.ts'
import { isWhole } from '../variants/every-run.ts'
import { account, addOnClaims, addOnPaths, LOGIN, ME, type Profile, REGISTER } from './accounts.ts'
import { auth, type Complete, mailSettings, SMALL_POOL } from './complete-context.ts'
import { deliverySuite } from './complete-delivery.ts'
import { mailFlowsSuite } from './complete-flows.ts'
import { instancesSuite } from './complete-instances.ts'
import { poolerSuite } from './complete-pooler.ts'
import { devicesSuite, noDevicesSuite, refreshSuite } from './complete-sessions.ts'
import { completeUsersSuite } from './complete-users.ts'
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

/**
 * All tests of mode complete in one profile, from the created project to every endpoint.
 * On PostgreSQL two instances answer in turn.
 * @param hasAddOns whether the project has all add-ons. Then only a run of all variants repeats what the core tests.
 */
export function completeSuite(profile: Profile, database: DatabaseKind, hasAddOns = false): void {
  const names =
    profile === 'A'
      ? { secret: 'SECRET_KEY', port: 'SMTP_PORT', lifetime: 'REFRESH_TOKEN_EXPIRE_DAYS' }
      : { secret: 'JWT_SECRET_KEY', port: 'EMAIL_PORT', lifetime: 'JWT_REFRESH_TOKEN_EXPIRATION' }
  const answers = ['--mode', 'complete', '--profile', profile, '--database', database]
  const addOns = hasAddOns ? allowedAddOns({ mode: 'complete', profile }) : ['none']
  const flags = ['my-api', ...answers, '--add', addOns.join()]
  const example = `complete-${profile.toLowerCase()}-${database}${hasAddOns ? '-all' : ''}`
  let project: Report

  describe(`mode complete, profile ${profile}, ${database}${hasAddOns ? ', all add-ons' : ''}`, () => {
    beforeAll(async () => {
      project = await createVariant(example, mkdtempSync(join(inject('scratch'), 'complete-')), flags)
    })

    projectSuite(example, () => project)
    const missing = serverMissing(database)
    if (missing)
      return test('tests of the service need a database server', (context) => context.skip(missing))

    docsSuite(example, 'my-api', () => project)
    httpSuite(profile, () => project, database === 'postgres' ? 2 : 1)
    if (hasAddOns && !isWhole) return

    processSuite(() => project, account)
    refusedSettingsSuite(
      () => project,
      [
        { [names.secret]: 'x'.repeat(31) },
        { [names.port]: '70000' },
        { [names.lifetime]: 'forever' },
        { EMAIL_EXPIRATION: '0' },
        { FRONTEND_URL: 'javascript:alert(1)' },
        { REFRESH_TOKEN_REUSE_GRACE_SECONDS: '3600' },
      ],
    )
    secretSuite(() => project, flags, names.secret)
    if (database === 'postgres') {
      instancesSuite(profile, () => project)
      poolerSuite(profile, () => project)
    }
    const isAgain = database === 'postgres' && !isWhole
    deliverySuite(profile, () => project, isAgain)
    // What the database cannot change. A pooler runs commands too.
    if (isAgain) return
    completeUsersSuite(() => project)
    userCommandSuite(profile, () => project)
    ownerSuite(() => project)
  })
}

/** One service for all tests without special settings. Collects every secret on the way. */
function httpSuite(profile: Profile, project: () => Report, instances: number): void {
  describe(`over HTTP, instances: ${instances}`, () => {
    const variant = { mode: 'complete', profile } as const
    const secrets = createSecrets()
    const checks: (() => void)[] = []
    let database: OwnDatabase
    let mailServer: MailServer
    let service: Instances

    beforeAll(async () => {
      const cwd = project().directory
      database = await newDatabase(project())
      mailServer = await startMailServer(cwd)
      const env = {
        ...database.env,
        ...(instances > 1 && SMALL_POOL),
        ...mailSettings(profile, mailServer),
        RATE_LIMIT_AUTH_REQUESTS: '100000',
        RATE_LIMIT_MAIL_REQUESTS: '1000',
        RATE_LIMIT_REGISTER: '1000',
        RATE_LIMIT_TOKEN_FAILURES: '1000',
        RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0',
        // A busy machine may take more than the default of 10 seconds for 20 uses of a token.
        REFRESH_TOKEN_REUSE_GRACE_SECONDS: '60',
      }
      service = noteSecrets(await startInstances(instances, { cwd, env }), secrets)
      return async () => {
        await service.stop()
        await mailServer.stop()
      }
    })

    const context: Complete = {
      profile,
      secrets,
      service: () => service,
      mailServer: () => mailServer,
      atEnd: (check) => void checks.push(check),
    }

    openapiSuite(
      () => service,
      {
        '/health/live': ['get'],
        '/health/ready': ['get'],
        [REGISTER]: ['post'],
        [LOGIN]: ['post'],
        [ME]: ['get', 'head', 'put'],
        [auth('verify-email')]: ['post'],
        [auth('resend-verification')]: ['post'],
        [auth('forgot-password')]: ['post'],
        [auth('reset-password')]: ['post'],
        [auth('undo-email-change')]: ['post'],
        [auth('refresh')]: ['post'],
        ...(profile === 'B' && {
          [auth('logout')]: ['post'],
          [auth('logout-all')]: ['post'],
          [auth('change-password')]: ['post'],
          [auth('devices')]: ['delete', 'get'],
          [auth('devices/{id}')]: ['delete'],
        }),
      },
      () => addOnPaths(project()),
    )
    registrationSuite(variant, () => service)
    loginSuite(
      variant,
      () => service,
      () => settingsOf(project().directory, '.env'),
      () => addOnClaims(project()),
    )
    emailChangeSuite(variant, () => service)
    mailFlowsSuite(context)
    refreshSuite(context)
    if (profile === 'A') noDevicesSuite(context)
    else devicesSuite(context)

    test('the mailbox does not exist if mails are sent', async () => {
      expect((await service.get('/dev/mailbox')).status).toBe(404)
      expect((await service.get('/dev/mailbox/messages')).status).toBe(404)
    })

    // Must run last, because it stops the service.
    test('the database and the log contain no secret, and each mail is sent once', async () => {
      const env = settingsOf(project().directory, '.env')
      for (const secret of [env.SECRET_KEY, env.JWT_SECRET_KEY, MAIL_LOGIN.password])
        secrets.add(secret ?? '')
      const whileRunning = await database.bytes()
      const { stdout, stderr } = await service.stop()
      for (const place of [whileRunning, await database.bytes(), stdout, stderr])
        expect(secrets.in(place)).toEqual([])
      // Checks that the right places were searched.
      expect(whileRunning.includes('journey@example.com')).toBe(true)
      for (const event of ['login.succeeded', 'refresh.replayed', 'mail.sent'])
        expect(stdout).toContain(`"event":"${event}"`)
      expect(stdout + stderr).not.toMatch(/eyJ|argon2|\$2[aby]\$|#token=/)
      for (const check of checks) check()
      const ids = mailServer.received.map(({ messageId }) => messageId)
      expect(new Set(ids).size).toBe(ids.length)
    })
  })
}
