import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { brandVariables } from '../../src/appearance.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { createSmtpMailer, smtpTimeouts } from '../../src/mail/smtp.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { smtpSettings } from '../support/mail-settings.ts'
import { createGate, createPeer, deliverDue, queueMails } from '../support/mailer.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { startTcpServer } from '../support/tcp-server.ts'

/** Creates an SMTP mailer with timeouts in milliseconds. The defaults are long enough for a busy machine. */
const smtpMailer = (port: number, connectMs = 60_000, answerMs = 60_000) =>
  createSmtpMailer(
    { host: '127.0.0.1', port, user: undefined, password: undefined, requireTls: false },
    { connectMs, handOverMs: 60_000, answerMs },
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
  const { app_name } = brandVariables(app.config)
  const { address } = app.config.email.from
  expect(mail?.headers).toMatch(new RegExp(`^From: "?${app_name}"? <${address}>$`, 'm'))
  expect(mail?.headers).toMatch(/^Auto-Submitted: auto-generated$/m)
  expect(mail?.raw).toMatch(/^Content-Type: text\/plain/m)
  expect(mail?.raw).toMatch(/^Content-Type: text\/html/m)
})

test('mails wait while the server is down, and each is delivered once afterwards', async () => {
  const app = await createTestApp(smtpSettings(await (await startTcpServer()).closedPort()))
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

test.each([421, 450, 451])(
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

const failures = (app: TestApp) =>
  app.db.read.select({ attempts: outbox.attempts, failedAt: outbox.failedAt }).from(outbox).orderBy(outbox.id)
const givenUp = { attempts: 1, failedAt: expect.any(Date) }
const waiting = { attempts: 1, failedAt: null }

/** Refuses a command with a code. */
const refuse =
  (code: number, text = 'refused') =>
  (_input: unknown, _session: unknown, done: (error: Error) => void) =>
    done(Object.assign(new Error(text), { responseCode: code }))

test.each([550, 554])('a mail that is refused with %i is given up', async (code) => {
  const smtp = await startSmtpServer()
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = await createTestApp(smtpSettings(smtp.port), { level: 'warn', stream })
  await queueMails(app)
  smtp.answer = code
  lines.length = 0
  await deliverDue(app)
  expect(await failures(app)).toEqual([givenUp])
  const reason = `EMESSAGE ${code}`
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: 'mail.given_up', level: 40, reason }])
})

test.each([
  ['its recipient is refused', { onRcptTo: refuse(550) }, givenUp],
  ['its recipient is refused for now', { onRcptTo: refuse(450) }, waiting],
  ['a login is required', { onRcptTo: refuse(530) }, waiting],
  ['the relay does not know the service', { onRcptTo: refuse(554, '5.7.1 Relay access denied') }, waiting],
  ['the sender has reached a limit', { onRcptTo: refuse(550, '5.4.5 Daily limit exceeded') }, waiting],
  ['the recipient does not exist', { onRcptTo: refuse(550, '5.1.1 No such user') }, givenUp],
  ['the sender is refused', { onMailFrom: refuse(550) }, waiting],
])('if %s, a mail is retried only if the owner or time can help', async (_what, options, expected) => {
  const smtp = await startSmtpServer(0, options)
  const app = await createTestApp(smtpSettings(smtp.port))
  await queueMails(app)
  await deliverDue(app)
  expect(await failures(app)).toEqual([expected])
})

test('a mail waits while the login is refused', async () => {
  const smtp = await startSmtpServer(0, { onAuth: refuse(535), allowInsecureAuth: true })
  const login = { user: 'app', password: 'wrong', requireTls: false }
  const mailer = createSmtpMailer({ host: '127.0.0.1', port: smtp.port, ...login })
  const app = await createTestApp({}, false, { mailer })
  await queueMails(app)
  await deliverDue(app)
  expect(await failures(app)).toEqual([waiting])
})

describe('a server', () => {
  /** Delivers a mail to a server that answers everything up to a line. Resolves when the line has arrived. */
  async function deliverUntil(last: RegExp) {
    const arrived = createGate()
    const { port, sockets } = await startTcpServer((socket) => {
      let input = ''
      let isData = false
      socket.write('220 hello\r\n')
      socket.setEncoding('utf8').on('data', (part: string) => {
        const lines = (input + part).split('\r\n')
        input = lines.pop() ?? ''
        for (const line of lines) {
          if (last.test(line)) arrived.open()
          else if (!isData) socket.write(line === 'DATA' ? '354 go on\r\n' : '250 ok\r\n')
          isData ||= line === 'DATA'
        }
      })
    })
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const app = await createTestApp(smtpSettings(port), { level: 'info', stream })
    await queueMails(app)
    lines.length = 0
    // Timers run only when the test advances them. The timeouts of sockets are no such timers.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const delivered = deliverDue(app)
    await arrived.passed
    return { sockets, delivered, entries: () => lines.map((line) => JSON.parse(line)) }
  }

  // A shorter timeout sent a mail 32 times to a server that takes 33 seconds to scan it (RFC 5321 section 4.5.3.2.6).
  test('that accepts a mail after ten minutes gets it once', async () => {
    const { sockets, delivered, entries } = await deliverUntil(/^\.$/)
    vi.advanceTimersByTime(10 * 60_000)
    for (const socket of sockets) socket.write('250 accepted\r\n')
    expect(await delivered).toBe(1)
    expect(entries()).toMatchObject([{ event: 'mail.sent', attempts: 1 }])
  })

  // The timeout of a socket is none of the timers above.
  test('has ten minutes to answer by default', () => {
    expect(smtpTimeouts.answerMs).toBeGreaterThanOrEqual(10 * 60_000)
  })

  test('that does not take a mail within 45 seconds fails the attempt', async () => {
    const { delivered, entries } = await deliverUntil(/^RCPT/)
    vi.advanceTimersByTime(45_000)
    expect(await delivered).toBe(1)
    const reason = 'The mail server took too long to take the mail'
    expect(entries()).toMatchObject([{ event: 'mail.failed', reason }])
  })
})

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
