import { describe, expect, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import { devScript } from '../../support/dev.js'
import { freePort } from '../../support/port.js'
import { withStandingClock } from '../harness/clock.ts'
import { newDatabase } from '../harness/database.ts'
import { type Mail, type MailServer, startMailServer } from '../harness/mail-server.ts'
import { createSecrets, noteSecrets, type Secrets } from '../harness/secrets.ts'
import { startService } from '../harness/service.ts'
import { LOGIN, ME, newUser, PASSWORD, type Profile, REGISTER } from './accounts.ts'
import { auth, mailSettings, subjects, tokenIn } from './complete-context.ts'
import { recipients, registerMany, untilLogged } from './complete-worker.ts'

/** As after a minute: the leases on mails that a killed process had claimed have ended. */
const LEASES_END = 'UPDATE outbox SET next_attempt_at = created_at'

/** 100,000 copies of the only mail. */
const COPIES = `INSERT INTO outbox (message_id, recipient, domain, subject, template, priority, sealed_variables, created_at,
  not_after, next_attempt_at)
  WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 100000)
  SELECT '<' || number || '@copies.test>', recipient, domain, subject, template, priority, sealed_variables, created_at,
  not_after, created_at FROM outbox, numbers`

/** Checks that no place contains a secret, including the tokens in the mails. */
function expectNoSecret(
  profile: Profile,
  secrets: Secrets,
  mails: Mail[],
  places: (string | Buffer)[],
): void {
  for (const mail of mails) secrets.add(tokenIn(profile, 'verification', mail))
  for (const place of places) expect(secrets.in(place)).toEqual([])
}

/**
 * Mail delivery when the mail server is down, hangs or is not trusted, and when the service is killed.
 * @param isAgain leaves out what another database has shown
 */
export function deliverySuite(profile: Profile, project: () => Report, isAgain = false): void {
  const cwd = () => project().directory
  const start = (env: Record<string, string>) =>
    startService({ cwd: cwd(), env, command: withStandingClock() })
  const settings = (server: Pick<MailServer, 'port'>) => ({
    ...mailSettings(profile, server),
    RATE_LIMIT_ENABLED: 'false',
  })

  test('100,000 mails to a domain that hangs do not stop the mails to others', async () => {
    const database = await newDatabase(project())
    const mailServer = await startMailServer(cwd())
    mailServer.hold('@hanging.example')
    const service = await start({ ...settings(mailServer), ...database.env })
    const hanging = { ...newUser('hanging'), email: 'hanging@hanging.example' }
    expect((await service.post(REGISTER, hanging)).status).toBe(201)
    await mailServer.until('the mail that hangs', () => mailServer.received.length === 1)
    await database.write(COPIES)
    const users = await registerMany(service, 20)
    await untilLogged([service], 'mail.sent', users.length)
    expect(recipients(mailServer.received.filter(({ isAnswered }) => isAnswered))).toEqual(users)
    await service.stop()
    await mailServer.stop()
  })

  test('with TLS required, a mail server without a trusted certificate gets no mail', async () => {
    const mailServer = await startMailServer(cwd())
    const tls = { [profile === 'A' ? 'SMTP_USE_TLS' : 'EMAIL_USE_TLS']: 'true' }
    const env = { ...settings(mailServer), ...(await newDatabase(project())).env, ...tls }
    const service = await startService({ cwd: cwd(), env })
    expect((await service.post(REGISTER, newUser('private'))).status).toBe(201)
    await untilLogged([service], 'mail.failed', 1)
    await service.stop()
    await mailServer.stop()
    expect(mailServer.received).toEqual([])
  })

  describe('without a mail server', () => {
    test('emails are kept and shown in the mailbox', async () => {
      const service = await startService({
        cwd: cwd(),
        env: (await newDatabase(project())).env,
        command: ['node', ...devScript(cwd())],
      })
      const [, url] = await service.running.until(/emails are kept: (\S+?)"/)
      expect(url).toBe(`${service.url}/dev/mailbox`)
      await service.post(REGISTER, newUser('keeper'))
      expect((await service.get('/dev/mailbox')).headers.get('content-type')).toMatch(/^text\/html/)
      const { status, body } = await service.get('/dev/mailbox/messages')
      expect(status).toBe(200)
      expect(body.messages).toHaveLength(1)
      const [mail] = body.messages
      expect(mail).toMatchObject({ to: 'keeper@example.com', subject: subjects[profile].verification })
      expect(mail.text).toContain(mail.token)
      expect((await service.post(auth('verify-email'), { token: mail.token })).status).toBe(200)
      const login = await service.post(LOGIN, { username: 'keeper', password: PASSWORD })
      expect((await service.get(ME, { token: login.body.access_token })).body.is_verified).toBe(true)
      await service.stop()
    })

    test('the built service has no mailbox, whatever NODE_ENV says', async () => {
      const env = { ...(await newDatabase(project())).env, NODE_ENV: 'development' }
      const service = await startService({ cwd: cwd(), env })
      expect((await service.post(REGISTER, newUser('keeper'))).status).toBe(201)
      for (const path of [
        '/dev/mailbox',
        '/dev/mailbox/messages',
        '/dev/mailbox/messages/1/html',
        '/',
        '/dev/home.json',
      ])
        expect((await service.get(path)).body).toMatchObject({ status: 404, code: 'not_found' })
      await service.stop()
    })
  })

  // The lease of an email is the same on each database.
  if (isAgain) return

  test('60 mails queued while the mail server is down arrive exactly once when it is back', async () => {
    const secrets = createSecrets()
    const database = await newDatabase(project())
    const away = await startMailServer(cwd(), await freePort())
    const env = { ...settings(away), ...database.env }
    const service = noteSecrets(await start(env), secrets)
    await service.post(REGISTER, newUser('before'))
    await away.next('before@example.com', subjects[profile].verification)
    await untilLogged([service], 'mail.sent', 1)
    await away.stop()

    const users = await registerMany(service, 60)
    // All of them: an attempt that fails after the clock was advanced would be repeated only after another advance.
    await untilLogged([service], 'mail.failed', users.length)
    const whileQueued = await database.bytes()

    const back = await startMailServer(cwd(), away.port)
    service.running.signal('SIGALRM')
    await untilLogged([service], 'mail.sent', 61)
    const { stdout, stderr } = await service.stop()
    await back.stop()
    expect(recipients(back.received)).toEqual(users)
    expect(new Set(back.received.map(({ messageId }) => messageId)).size).toBe(60)
    expect(new Set(back.received.map(({ subject }) => subject))).toEqual(
      new Set([subjects[profile].verification]),
    )
    const mails = [...away.received, ...back.received]
    expectNoSecret(profile, secrets, mails, [whileQueued, await database.bytes(), stdout, stderr])
  })

  test('kill -9 while sending loses no mail, and a mail sent again keeps its Message-ID', async () => {
    const secrets = createSecrets()
    const database = await newDatabase(project())
    const mailServer = await startMailServer(cwd(), await freePort())
    const env = { ...settings(mailServer), ...database.env }
    const before = noteSecrets(await start(env), secrets)
    const early = await before.post(REGISTER, newUser('early'))
    expect(early.status).toBe(201)
    await untilLogged([before], 'mail.sent', 1)
    mailServer.hold()
    // A mail server that does not answer must not delay requests.
    const users = await registerMany(before, 20)
    const unanswered = () => mailServer.received.filter(({ isAnswered }) => !isAnswered)
    await mailServer.until('an unanswered mail', () => unanswered().length > 0)
    before.running.signal('SIGKILL')
    const killed = await before.running.ended
    expect(killed.signal).toBe('SIGKILL')
    const whenKilled = await database.bytes()
    await database.write(LEASES_END)
    const held = unanswered()
    await mailServer.stop()

    const again = await startMailServer(cwd(), mailServer.port)
    const after = noteSecrets(await start(env), secrets)
    await untilLogged([after], 'mail.sent', users.length)
    const { stdout, stderr } = await after.stop()
    await again.stop()
    expect(recipients(again.received)).toEqual(users)
    for (const { to, messageId } of held)
      expect(again.received.find((mail) => mail.to === to)?.messageId).toBe(messageId)
    const ids = [...mailServer.received, ...again.received].map(({ messageId }) => messageId)
    expect(new Set(ids).size).toBe(users.length + 1)
    const logs = [killed.stdout, killed.stderr, stdout, stderr]
    const mails = [...mailServer.received, ...again.received]
    expectNoSecret(profile, secrets, mails, [whenKilled, await database.bytes(), ...logs])
  })
}
