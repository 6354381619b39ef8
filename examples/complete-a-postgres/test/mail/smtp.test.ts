import { expect, test } from 'vitest'
import { outbox } from '../../src/db/schema/outbox.ts'
import { createSmtpMailer } from '../../src/mail/smtp.ts'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { smtpSettings } from '../support/mail-settings.ts'
import { createPeer, deliverDue, queueMails } from '../support/mailer.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { closedPort, startTcpServer } from '../support/tcp-server.ts'

/** Creates an SMTP mailer with timeouts in milliseconds. The defaults are long enough for a busy machine. */
const smtpMailer = (port: number, connectMs = 60_000, silenceMs = 60_000) =>
  createSmtpMailer(
    { host: '127.0.0.1', port, user: undefined, password: undefined, requireTls: false },
    { connectMs, silenceMs },
  )

test('a mail is delivered once, in HTML and text, from the configured sender', async () => {
  const smtp = await startSmtpServer()
  const app = await createTestApp(smtpSettings(smtp.port))
  await register(app)
  expect(await deliverDue(app)).toBe(1)
  expect(await deliverDue(app)).toBe(0)

  expect(smtp.accepted).toHaveLength(1)
  const [mail] = smtp.accepted
  expect(mail?.to).toEqual(['alice@example.com'])
  expect(mail?.headers).toMatch(/^To: alice@example\.com$/m)
  const { name, address } = app.config.mail.from
  expect(mail?.headers).toMatch(new RegExp(`^From: "?${name}"? <${address}>$`, 'm'))
  expect(mail?.headers).toMatch(/^Auto-Submitted: auto-generated$/m)
  expect(mail?.raw).toMatch(/^Content-Type: text\/plain/m)
  expect(mail?.raw).toMatch(/^Content-Type: text\/html/m)
})

test('mails wait while the server is down, and each is delivered once afterwards', async () => {
  const app = await createTestApp(smtpSettings(await closedPort()))
  await queueMails(app, 10)
  expect(await deliverDue(app)).toBe(10)
  expect(await deliverDue(app)).toBe(0)

  const up = await startSmtpServer()
  const back = await createPeer(app, smtpMailer(up.port))
  back.clock.advance(15)
  expect(await deliverDue(back)).toBe(10)
  expect(await deliverDue(back)).toBe(0)
  expect(up.accepted.flatMap(({ to }) => to).toSorted()).toEqual(
    Array.from({ length: 10 }, (_, index) => `user${index}@example.com`),
  )
})

test.each([421, 450, 451, 550, 554])(
  'a mail that is refused with %i is retried with the same Message-ID',
  async (code) => {
    const smtp = await startSmtpServer()
    const app = await createTestApp(smtpSettings(smtp.port))
    await queueMails(app)
    smtp.answer = code
    await deliverDue(app)
    expect(smtp.accepted).toEqual([])

    smtp.answer = 250
    app.clock.advance(15)
    await deliverDue(app)
    expect(smtp.accepted).toHaveLength(1)
    const [first, second] = smtp.offered
    expect(first?.messageId).toMatch(/^<[\w-]{36}@example\.com>$/)
    expect(second?.messageId).toBe(first?.messageId)
  },
)

test('a server that accepts the mail but never responds fails the attempt', async () => {
  const smtp = await startSmtpServer()
  const app = await createTestApp({}, false, { mailer: smtpMailer(smtp.port, 60_000, 1_000) })
  await queueMails(app)
  smtp.answer = 'silence'
  expect(await deliverDue(app)).toBe(1)
  smtp.answer = 250
  const patient = await createPeer(app, smtpMailer(smtp.port))
  patient.clock.advance(15)
  await deliverDue(patient)
  expect(smtp.accepted).toHaveLength(1)
})

test('a server that never greets fails the attempt', async () => {
  const { port } = await startTcpServer()
  const app = await createTestApp({}, false, { mailer: smtpMailer(port, 100, 60_000) })
  await queueMails(app)
  expect(await deliverDue(app)).toBe(1)
  expect(await app.db.read.select().from(outbox)).toMatchObject([
    { attempts: 1, sentAt: null, failedAt: null },
  ])
})
