import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { outbox } from '../../src/db/schema/outbox.ts'
import { createSmtpMailer, type Mailer } from '../../src/email/smtp.ts'
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
    ehlo: 'example.com',
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

/** The log of one delivery. */
async function logOf(app: TestApp, lines: string[]) {
  lines.length = 0
  await deliverDue(app)
  return lines.map((line) => JSON.parse(line))
}

async function createLoggedApp(env: Record<string, string>, mailer?: Mailer) {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = await createTestApp(env, { level: 'warn', stream }, mailer && { mailer })
  return { app, deliver: () => logOf(app, lines) }
}

test.each([
  ['5.1.1 No such user', givenUp],
  ['5.2.1 Mailbox disabled', givenUp],
  ['5.2.2 Mailbox full', givenUp],
  ['5.1.10 Recipient not found', waiting],
  ['5.2.252 SendAsDenied', waiting],
  ['Message rejected', waiting],
])('if the content is refused with 5xx %s, only a missing mailbox ends the email', async (text, expected) => {
  const smtp = await startSmtpServer()
  const { app, deliver } = await createLoggedApp(smtpSettings(smtp.port))
  await queueEmails(app)
  smtp.answer = 554
  smtp.text = text
  const entries = await deliver()
  expect(await failures(app)).toEqual([expected])
  // Some servers quote the email in the refusal.
  expect(entries).toMatchObject([
    { level: 40, reason: `EMESSAGE 554${/^[\d.]+/.test(text) ? ` ${text.split(' ')[0]}` : ''}` },
  ])
})

test.each([
  ['RCPT TO', 550, 'refused', givenUp],
  ['RCPT TO', 550, '5.1.1 No such user', givenUp],
  ['RCPT TO', 550, '5.1.1 <the-sender@example.com> is unknown', givenUp],
  ['RCPT TO', 550, '5.1.10 Recipient not found', givenUp],
  ['RCPT TO', 552, '5.2.2 Mailbox full', givenUp],
  ['RCPT TO', 501, '5.1.3 Bad recipient address', givenUp],
  ['RCPT TO', 450, 'refused for now', waiting],
  ['RCPT TO', 530, 'a login is required', waiting],
  ['RCPT TO', 503, 'bad sequence', waiting],
  ['RCPT TO', 550, '5.1.0 Address rejected', waiting],
  ['RCPT TO', 550, '5.1.7 Bad address', waiting],
  ['RCPT TO', 553, '5.1.8 Domain not found', waiting],
  ['RCPT TO', 550, '5.2.252 SendAsDenied', waiting],
  ['RCPT TO', 550, '5.3.0 Not accepting', waiting],
  ['RCPT TO', 550, '5.4.5 Daily limit exceeded', waiting],
  ['RCPT TO', 554, '5.7.1 Relay access denied', waiting],
  ['RCPT TO', 550, 'The from address does not match a verified Sender Identity', waiting],
  ['MAIL FROM', 550, 'refused', waiting],
  ['MAIL FROM', 553, '5.1.1 Sender unknown', waiting],
  ['MAIL FROM', 550, '5.2.1 Sender disabled', waiting],
])(
  'after %s: %i %s, an email is retried if the owner or time can help',
  async (command, code, text, expected) => {
    const name = command === 'RCPT TO' ? 'onRcptTo' : 'onMailFrom'
    const smtp = await startSmtpServer(0, { [name]: refuse(code, text) })
    const { app, deliver } = await createLoggedApp(smtpSettings(smtp.port))
    await queueEmails(app)
    const [entry] = await deliver()
    expect(await failures(app)).toEqual([expected])
    expect(entry.reason).toBe(`EENVELOPE ${code} ${text}`)
  },
)

test('an email waits if the server does not let the service in', async () => {
  const { port } = await startTcpServer((socket) => {
    socket.write('220 hello\r\n')
    socket.on('data', () => socket.end('421 4.7.0 Try again later\r\n'))
  })
  const { app, deliver } = await createLoggedApp(smtpSettings(port))
  await queueEmails(app)
  const [entry] = await deliver()
  expect(await failures(app)).toEqual([waiting])
  expect(entry.reason).toContain('421 4.7.0')
})

test.each([
  [535, '5.7.8 Wrong password'],
  [454, '4.7.0 Try later'],
])('an email waits while the login is refused with %i', async (code, text) => {
  const smtp = await startSmtpServer(0, {
    onAuth: refuse(code, text),
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN', 'CRAM-MD5'],
  })
  const mailer = await smtpMailer(smtp.port, { user: 'app', password: 'wrong' })
  const { app, deliver } = await createLoggedApp({}, mailer)
  await queueEmails(app)
  const [entry] = await deliver()
  expect(await failures(app)).toEqual([waiting])
  expect(entry.reason).toBe(`EAUTH ${code} ${text.split(' ')[0]}`)
})

test.each(['PLAIN', 'LOGIN', 'CRAM-MD5'])(
  'of the offered ways to log in, %s may be the only one that works',
  async (works) => {
    const tried: string[] = []
    const smtp = await startSmtpServer(0, {
      allowInsecureAuth: true,
      authMethods: ['PLAIN', 'LOGIN', 'CRAM-MD5'],
      onAuth({ method, username, password, validatePassword }, _session, done) {
        tried.push(method)
        const isRight = method === 'CRAM-MD5' ? validatePassword(' p\u00e4ss ') : password === ' p\u00e4ss '
        if (method === works && username === 'app' && isRight) done(null, { user: username })
        else done(Object.assign(new Error('refused'), { responseCode: 535 }))
      },
    })
    const mailer = await smtpMailer(smtp.port, { user: 'app', password: ' p\u00e4ss ' })
    const app = await createTestApp({}, false, { mailer })
    await queueEmails(app)
    await deliverDue(app)
    expect(smtp.accepted).toHaveLength(1)
    expect(tried.at(-1)).toBe(works)
  },
)

test('a server that closes a connection after an email gets the next one at once, over another connection', async () => {
  let connections = 0
  const smtp = await startSmtpServer(0, {
    onConnect(_session, done) {
      connections += 1
      done()
    },
    onMailFrom(_address, session, done) {
      const isSecond = session.transaction > 1
      done(isSecond ? Object.assign(new Error('4.7.0 Too many emails'), { responseCode: 421 }) : null)
    },
  })
  const app = await createTestApp(smtpSettings(smtp.port))
  await queueEmails(app, 3)
  expect(await deliverDue(app)).toBe(3)
  expect(smtp.accepted.flatMap(({ to }) => to).toSorted()).toEqual(
    [0, 1, 2].map((index) => `user${index}@example.com`),
  )
  expect(connections).toBe(3)
})

test.each([
  ['the domain of the sender', {}, 'example.com'],
  [
    'the name in the settings',
    { SMTP_EHLO_NAME: 'app.example.net', EMAIL_EHLO_NAME: 'app.example.net' },
    'app.example.net',
  ],
])('the service calls itself by %s', async (_what, settings, name) => {
  const names: unknown[] = []
  const smtp = await startSmtpServer(0, {
    onMailFrom(_address, session, done) {
      names.push(session.hostNameAppearsAs)
      done()
    },
  })
  const app = await createTestApp({ ...smtpSettings(smtp.port), ...settings })
  await queueEmails(app)
  await deliverDue(app)
  expect(names).toEqual([name])
})

test.each(['a b', 'a\tb', '-a', 'a\u00e4'])('%j is no name to call itself by', async (name) => {
  await expect(createTestApp({ SMTP_EHLO_NAME: name, EMAIL_EHLO_NAME: name })).rejects.toThrow(
    /^(SMTP|EMAIL)_EHLO_NAME must [ -~]+$/,
  )
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
