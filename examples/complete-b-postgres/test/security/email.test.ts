import { describe, expect, test } from 'vitest'
import { outbox } from '../../src/db/schema/outbox.ts'
import { createSmtpMailer, type Mailer } from '../../src/email/smtp.ts'
import { logIn, password, putMe, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { smtpSettings } from '../support/email-settings.ts'
import { forgotPassword, post } from '../support/flows.ts'
import { createTestMailer, deliverDue } from '../support/mailer.ts'
import { expectProblem } from '../support/problem.ts'
import { readDisk } from '../support/read-disk.ts'
import { testConfig } from '../support/settings.ts'
import { startSmtpServer } from '../support/smtp-server.ts'

/** The token or code in the text of an email. */
const tokenIn = (text: string) =>
  /(?<=token=)[\w-]{43}|\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}\b/.exec(text)?.[0] ?? ''

const message = {
  messageId: '<1@example.com>',
  from: { name: 'App', address: 'app@example.com' },
  to: 'alice@example.com',
  subject: 'Subject',
  html: '<p>html</p>',
  text: 'text',
}

async function send(creating: Promise<Mailer>, changed: Partial<typeof message> = {}) {
  const mailer = await creating
  await mailer.send({ ...message, ...changed }, new AbortController().signal).finally(() => mailer.close?.())
}

const local = (port: number, requireTls: boolean) =>
  createSmtpMailer({
    host: '127.0.0.1',
    port,
    user: undefined,
    password: undefined,
    ehlo: 'example.com',
    requireTls,
  })

describe('a crafted name or address cannot inject a header', () => {
  test.each([
    ['email', 'alice@example.com\r\nBcc: mallory@example.com'],
    ['email', 'alice@example.com, mallory@example.com'],
    ['email', 'alice@example.com;mallory@example.com'],
    ['email', '"alice" <mallory@example.com>'],
    ['email', '"alice@example.com,"@mallory.example'],
    ['email', 'alice@example.com\u2028Bcc:mallory@example.com'],
    ['username', 'alice\r\nBcc: mallory@example.com'],
    ['username', '<b>alice</b>'],
  ])('%s %j is refused, and no email is sent', async (field, value) => {
    const mailer = createTestMailer()
    const app = await createTestApp({}, false, { mailer })
    const user = { email: 'alice@example.com', username: 'alice', password, [field]: value }
    expectProblem(await post(app, 'register', user), 'validation_failed')
    if (field === 'email') {
      expectProblem(await post(app, 'forgot-password', { email: value }), 'validation_failed')
      expectProblem(await post(app, 'resend-verification', { email: value }), 'validation_failed')
    }
    expect(await deliverDue(app)).toBe(0)
  })

  // Such addresses are refused above. If one got through anyway, it must not name another recipient.
  test.each([
    'alice@example.com, mallory@example.com',
    'alice@example.com\r\nBcc: mallory@example.com',
    '"alice" <mallory@example.com>',
    'alice@example.com> <mallory@example.com',
  ])('the recipient %j does not reach mallory', async (to) => {
    const smtp = await startSmtpServer()
    await send(local(smtp.port, false), { to }).catch(() => {})
    expect(smtp.offered.flatMap((email) => email.to)).not.toContain('mallory@example.com')
    for (const email of smtp.offered) expect(email.headers).not.toMatch(/^(Cc|Bcc):/im)
  })

  test('line breaks in the subject and the sender do not reach mallory', async () => {
    const smtp = await startSmtpServer()
    await send(local(smtp.port, false), {
      subject: 'Hello\r\nBcc: mallory@example.com',
      from: { name: 'App\r\nCc: mallory@example.com', address: 'app@example.com' },
    })
    expect(smtp.accepted).toHaveLength(1)
    expect(smtp.accepted[0]?.to).toEqual(['alice@example.com'])
    expect(smtp.accepted[0]?.headers).not.toMatch(/^(Cc|Bcc):/im)
  })
})

// Anyone can register the address of a stranger, who would get an email with a link of their choice.
test('a username is no link in an email to an address that is not verified', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  await register(app, 'evil.example.com')
  await deliverDue(app)
  await forgotPassword(app, 'evil.example.com@example.com')
  await deliverDue(app)
  await putMe(app, await logIn(app, 'evil.example.com'), { email: 'mallory@example.com' })
  await deliverDue(app)
  expect(mailer.sent.map(({ to }) => to)).toContain('mallory@example.com')
  for (const { html, text } of mailer.sent) expect(html + text).not.toMatch(/evil\.example/)
})

test.each([
  ['localhost', false],
  ['127.0.0.1', false],
  ['smtp.example.com', true],
  ['localhost.example.com', true],
])('by default, TLS to %s is required: %j', (host, requireTls) => {
  expect(testConfig(smtpSettings(587, host)).email.smtp).toMatchObject({ requireTls })
})

describe('if TLS is required', () => {
  test('no email is sent to a server that does not offer it: an attacker may have removed the offer', async () => {
    const smtp = await startSmtpServer()
    await expect(send(local(smtp.port, true))).rejects.toThrow(/STARTTLS/)
    expect(smtp.offered).toEqual([])
  })

  test('no email is sent to a server with an invalid certificate', async () => {
    const smtp = await startSmtpServer(0, { disabledCommands: [] })
    await expect(send(local(smtp.port, true))).rejects.toThrow(/certificate/)
    expect(smtp.offered).toEqual([])
  })
})

test('if TLS is not required, it is used if offered', async () => {
  let isSecure = false
  const smtp = await startSmtpServer(0, {
    disabledCommands: [],
    onMailFrom(_address, session, done) {
      isSecure = session.secure
      done()
    },
  })
  await send(local(smtp.port, false))
  expect(isSecure).toBe(true)
})

test('a dump of the database contains no token of a queued or sent email', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  await register(app)
  const before = await readDisk(app)
  await deliverDue(app)
  const after = await readDisk(app)

  const token = tokenIn(mailer.sent[0]?.text ?? '')
  expect(token).toMatch(/^[\w-]{19,}$/)
  expect((await post(app, 'verify-email', { token })).statusCode).toBe(200)
  for (const form of [token, token.replaceAll('-', ''), Buffer.from(token).toString('base64url')]) {
    expect(before).not.toContain(form)
    expect(after).not.toContain(form)
  }
  const [email] = await app.db.read.select().from(outbox)
  expect(email).toMatchObject({ sentAt: expect.any(Date), sealedVariables: null })
})

test('the log contains no token, even if a mail server quotes the refused email', async () => {
  const lines: string[] = []
  const smtp = await startSmtpServer()
  const logger = { level: 'trace', stream: { write: (line: string) => void lines.push(line) } }
  const app = await createTestApp(smtpSettings(smtp.port), logger)
  smtp.answer = 454
  await register(app)
  await deliverDue(app)
  smtp.answer = 250
  app.clock.advance(60)
  await deliverDue(app)
  await forgotPassword(app)
  await deliverDue(app)

  // Quoted-printable breaks lines and writes = as =3D.
  const tokens = smtp.accepted.map(({ raw }) =>
    tokenIn(raw.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r', '')),
  )
  expect(tokens).toHaveLength(2)
  const log = lines.join('')
  for (const token of tokens) {
    expect(token).toMatch(/^[\w-]{19,}$/)
    expect(log).not.toContain(token)
  }
  expect(log).toContain('"event":"mail.failed"')
  expect(log).toMatch(/"reason":"EMESSAGE 454[^"]{0,8}"/)
  expect(log).toContain('"event":"mail.sent"')
  expect(log).not.toContain(password)
})
