import { beforeAll, describe, expect, inject, test } from 'vitest'
import { succeed } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import type { Pooler } from '../../support/pooler.js'
import { newDatabase } from '../harness/database.ts'
import { type Instances, startInstances } from '../harness/instances.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { startPooler } from '../harness/pooler.ts'
import { runSql } from '../harness/postgres.ts'
import { createSecrets } from '../harness/secrets.ts'
import { ME, PASSWORD, type Profile } from './accounts.ts'
import { type Complete, mailSettings, newSession, refresh, tokensIn } from './complete-context.ts'
import { devicesSuite, refreshSuite } from './complete-sessions.ts'
import { emailChangeSuite } from './email-change.ts'

/** The service behind PgBouncer in transaction mode: two instances share two server connections. */
export function poolerSuite(profile: Profile, project: () => Report): void {
  describe('behind a transaction pooler', () => {
    const found = inject('pooler')
    if ('missing' in found)
      return test('PgBouncer in front of the database', (context) => context.skip(found.missing))

    let pooler: Pooler
    let url: string
    let mailServer: MailServer
    let service: Instances

    beforeAll(async () => {
      pooler = await startPooler(2)
      mailServer = await startMailServer(project().directory)
      const database = await newDatabase(project())
      url = pooler.urlOf(database.env.DATABASE_URL)
      const env = {
        ...database.env,
        ...mailSettings(profile, mailServer),
        DATABASE_URL: url,
        RATE_LIMIT_ENABLED: 'false',
        RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0',
        REFRESH_TOKEN_REUSE_GRACE_SECONDS: '60',
      }
      // On an empty database: both migrate it through the pooler.
      service = await startInstances(2, { cwd: project().directory, env })
      return async () => {
        await service.stop()
        await mailServer.stop()
        await pooler.stop()
      }
    })

    const context: Complete = {
      profile,
      service: () => service,
      mailServer: () => mailServer,
      secrets: createSecrets(),
      atEnd: () => {},
    }

    test('160 requests, 20 at a time, are answered', async () => {
      const { access } = await newSession(service, 'pooled')
      for (let round = 0; round < 8; round += 1) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => service.get(ME, { token: access })),
        )
        expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
      }
    })

    test('transactions of many clients run side by side', async () => {
      const names = Array.from({ length: 10 }, (_, number) => `pooled-${number}`)
      const sessions = await Promise.all(names.map((name) => newSession(service, name)))
      const refreshed = await Promise.all(sessions.map((session) => refresh(service, session.refresh)))
      for (const answer of refreshed) tokensIn(answer)
    })

    test('the commands of an operator work', async () => {
      const cwd = project().directory
      const env = { DATABASE_URL: url }
      const user = (...args: string[]) =>
        succeed('npm', ['run', 'user', '--', ...args], { cwd, env, input: `${PASSWORD}\n` })
      await user('create', 'pooled-created', 'pooled-created@example.com')
      expect((await user('list', '--search', 'pooled-created')).stdout).toContain('pooled-created')
      const { access } = await newSession(service, 'pooled-operated')
      await user('deactivate', 'pooled-operated')
      expect((await service.get(ME, { token: access })).status).not.toBe(200)
    })

    emailChangeSuite({ mode: 'complete', profile }, () => service)
    refreshSuite(context)
    if (profile === 'B') devicesSuite(context)

    // The connections also serve other programs.
    test('nothing of the service stays in the connections', async () => {
      const left = `SELECT current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'),
        (SELECT count(*) FROM pg_prepared_statements)`
      for (let round = 0; round < 10; round += 1) expect(await runSql(url, left)).toBe('0|0|0\n')
    })
  })
}
