import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { outbox } from '../../src/db/schema/outbox.ts'
import { createSmtpMailer } from '../../src/email/smtp.ts'
import { brandVariables } from '../../src/settings/theme.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { smtpSettings } from '../support/email-settings.ts'
import { createGate, createPeer, deliverDue, queueEmails } from '../support/mailer.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { startTcpServer } from '../support/tcp-server.ts'

const smtpMailer = (port: number, login: { user?: string; password?: string } = {}) =>
  createSmtpMailer({
    host: '127.0.0.1',
    port,
    user: undefined,
    password: undefined,
    requireTls: false,
    ...login,
  })

test('an email is delivered once, in HTML and text, from the configured sender', async () => {
  const smtp = await startSmtpServer()
  const app = await createTestApp(smtpSettings(smtp.port))
  await register(app)
  expect(await deliverDue(app)).toBe(1)
  expect(await deliverDue(app)).toBe(0)

  expect(smtp.accepted).toHaveLength(1)
  const [email] = smtp.accepted
  expect(email?.to).toEqual(['alice@example.com'])
  expect(email?.headers).toMatch(/^To: alice@example\.com$/m)
  const { app_name } = brandVariables(app.config)
  const { address } = app.config.email.from
  expect(email?.headers).toMatch(new RegExp(`^From: "?${app_name}"? <${address}>$`, 'm'))
  expect(email?.headers).toMatch(/^Auto-Submitted: auto-generated$/m)
  expect(email?.raw).toMatch(/^Content-Type: text\/plain/m)
  expect(email?.raw).toMatch(/^Content-Type: text\/html/m)
})

test('emails wait while the server is down, and each is delivered once afterwards', async () => {
  const app = await createTestApp(smtpSettings(await (await startTcpServer()).closedPort()))
  await queueEmails(app, 10)
  expect(await deliverDue(app)).toBe(10)
  expect(await deliverDue(app)).toBe(0)

  const up = await startSmtpServer()
  const back = await createPeer(app, await smtpMailer(up.port))
  back.clock.advance(15)
  expect(await deliverDue(back)).toBe(10)
  expect(await deliverDue(back)).toBe(0)
  expect(up.accepted.flatMap(({ to }) => to).toSorted()).toEqual(
    Array.from({ length: 10 }, (_, index) => `user${index}@example.com`),
  )
})

test.each([421, 450, 451])(
  'an email that is refused with %i is retried with the same Message-ID',
  async (code) => {
    const smtp = await startSmtpServer()
    const app = await createTestApp(smtpSettings(smtp.port))
    await queueEmails(app)
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

test.each([550, 554])('an email that is refused with %i is given up', async (code) => {
  const smtp = await startSmtpServer()
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = await createTestApp(smtpSettings(smtp.port), { level: 'warn', stream })
  await queueEmails(app)
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
])('if %s, an email is retried only if the owner or time can help', async (_what, options, expected) => {
  const smtp = await startSmtpServer(0, options)
  const app = await createTestApp(smtpSettings(smtp.port))
  await queueEmails(app)
  await deliverDue(app)
  expect(await failures(app)).toEqual([expected])
})

test('an email waits while the login is refused', async () => {
  const smtp = await startSmtpServer(0, { onAuth: refuse(535), allowInsecureAuth: true })
  const mailer = await smtpMailer(smtp.port, { user: 'app', password: 'wrong' })
  const app = await createTestApp({}, false, { mailer })
  await queueEmails(app)
  await deliverDue(app)
  expect(await failures(app)).toEqual([waiting])
})

describe('a server', () => {
  /** Delivers an email to a server that answers everything up to a line. Resolves when the line has arrived. */
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
    await queueEmails(app)
    lines.length = 0
    // Timers run only when the test advances them. The timeouts of sockets are no such timers.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const delivered = deliverDue(app)
    await arrived.passed
    return { sockets, delivered, entries: () => lines.map((line) => JSON.parse(line)) }
  }

  test('that accepts an email after almost a minute gets it once', async () => {
    const { sockets, delivered, entries } = await deliverUntil(/^\.$/)
    vi.advanceTimersByTime(59_000)
    for (const socket of sockets) socket.write('250 accepted\r\n')
    expect(await delivered).toBe(1)
    expect(entries()).toMatchObject([{ event: 'mail.sent', attempts: 1 }])
  })

  test.each([
    ['does not take the email', /^RCPT/],
    ['takes the email and never answers', /^\.$/],
  ])('that %s within a minute fails the delivery', async (_what, last) => {
    const { sockets, delivered, entries } = await deliverUntil(last)
    vi.advanceTimersByTime(60_000)
    expect(await delivered).toBe(1)
    expect(entries()).toMatchObject([{ event: 'mail.failed', reason: 'The delivery took too long' }])
    // Otherwise it could still accept the email, which is sent again.
    await vi.waitUntil(() => [...sockets].every(({ destroyed }) => destroyed))
  })
})
