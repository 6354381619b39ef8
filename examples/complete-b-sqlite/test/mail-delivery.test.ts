import { and, eq } from 'drizzle-orm'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { outbox } from '../src/db/schema/outbox.ts'
import type { Mailer } from '../src/mail/mailer.ts'
import { register } from './accounts.ts'
import { createTestApp, type TestApp } from './app.ts'
import { smtpSettings } from './mail-settings.ts'
import { createGate, createTestMailer, queueMails } from './mailer.ts'
import { settingNames } from './settings.ts'

/** Another instance of the service on the same database, with a clock of its own. */
const createPeer = (app: TestApp, mailer: Mailer, env: Record<string, string> = {}) =>
  createTestApp(env, false, { db: app.db, mailer })

const readOutbox = (app: TestApp) => app.db.read.select().from(outbox)

describe('with its attempts', () => {
  test('a mail takes longer and longer pauses, and is given up a day after it was queued', async () => {
    const mailer = createTestMailer()
    mailer.fail = true
    const lines: string[] = []
    const app = await createTestApp(
      {},
      { level: 'error', stream: { write: (line) => void lines.push(line) } },
      { mailer },
    )
    await queueMails(app)
    const triedAt: number[] = []
    for (let second = 0; second < 26 * 60 * 60; second += 15) {
      if ((await app.mail.deliverDue()) > 0) triedAt.push(second)
      app.clock.advance(15)
    }
    const pauses = triedAt.slice(1).map((second, index) => second - (triedAt[index] ?? 0))
    expect(pauses.slice(0, 10)).toEqual([15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
    expect(triedAt.at(-1)).toBe(24 * 60 * 60)

    expect(await readOutbox(app)).toMatchObject([
      { sentAt: null, failedAt: expect.any(Date), sealedVariables: null },
    ])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'mail.given_up', mailId: 1, attempts: triedAt.length, reason: 'no connection' },
    ])
  })

  test('a mail that waited for more than a day because nothing ran is still tried', async () => {
    const mailer = createTestMailer()
    const app = await createTestApp({}, false, { mailer })
    await queueMails(app)
    app.clock.advance(25 * 60 * 60)
    await app.mail.deliverDue()
    expect(mailer.sent).toHaveLength(1)
  })

  test('a mail whose secret is gone is kept until somebody puts the secret back', async () => {
    const mailer = createTestMailer()
    const app = await createTestApp()
    await queueMails(app)
    const other = await createPeer(app, mailer, {
      [settingNames.secret]: 'another-secret-of-at-least-32-bytes!',
    })
    await other.mail.deliverDue()
    expect(mailer.tried).toEqual([])
    const back = await createPeer(app, mailer)
    back.clock.advance(15)
    await back.mail.deliverDue()
    expect(mailer.sent).toHaveLength(1)
  })
})

describe('a mail whose template is gone, as after a change of the profile', () => {
  async function queued(mailer?: Mailer) {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const app = await createTestApp({}, { level: 'error', stream }, { ...(mailer && { mailer }) })
    await queueMails(app, 2)
    await rename(app, 'password_changed', 'template_of_old')
    return { app, entries: () => lines.map((line) => JSON.parse(line)) }
  }

  /** Gives the first mail another template. */
  const rename = (app: TestApp, from: string, to: string) =>
    app.db.transaction(async (tx) => {
      await tx
        .update(outbox)
        .set({ template: to })
        .where(and(eq(outbox.id, 1), eq(outbox.template, from)))
    })

  test('holds up no other mail, and the log says so', async () => {
    const mailer = createTestMailer()
    const { app, entries } = await queued(mailer)
    expect(await app.mail.deliverDue()).toBe(2)
    expect(mailer.tried.map(({ to }) => to)).toEqual(['user1@example.com'])
    expect(entries()).toMatchObject([
      {
        level: 50,
        event: 'mail.template_missing',
        mailId: 1,
        template: 'template_of_old',
        reason: 'There is no template emails/template_of_old.html',
      },
    ])
  })

  test('is sent if the template comes back within a day', async () => {
    const mailer = createTestMailer()
    const { app } = await queued(mailer)
    await app.mail.deliverDue()
    await rename(app, 'template_of_old', 'password_changed')
    app.clock.advance(15)
    await app.mail.deliverDue()
    expect(mailer.sent.map(({ to }) => to)).toEqual(['user1@example.com', 'user0@example.com'])
  })

  test('is given up after a day', async () => {
    const { app, entries } = await queued(createTestMailer())
    app.clock.advance(24 * 60 * 60)
    await app.mail.deliverDue()
    expect(await readOutbox(app)).toMatchObject([
      { sentAt: null, failedAt: expect.any(Date), sealedVariables: null },
      { sentAt: expect.any(Date) },
    ])
    expect(entries()).toMatchObject([{ event: 'mail.given_up', mailId: 1 }])
  })

  test('is left out of the mailbox, where mails are kept', async () => {
    const { app } = await queued()
    const { messages } = (await app.inject({ url: '/dev/mailbox/messages' })).json()
    expect(messages).toMatchObject([{ to: 'user1@example.com' }])
  })
})

describe('with several processes', () => {
  test('no mail is sent by two', async () => {
    const mailer = createTestMailer()
    const app = await createTestApp({}, false, { mailer })
    const peer = await createPeer(app, mailer)
    await queueMails(app, 30)
    const tried = await Promise.all([app.mail.deliverDue(), peer.mail.deliverDue(), app.mail.deliverDue()])
    expect(tried.reduce((sum, count) => sum + count)).toBe(30)
    expect(new Set(mailer.sent.map(({ messageId }) => messageId)).size).toBe(30)
    expect(mailer.tried).toHaveLength(30)
  })

  test('the mail of one that died is sent by another, when the lease is over', async () => {
    const stuck = createGate()
    const app = await createTestApp({}, false, { mailer: { send: () => stuck.passed } })
    await queueMails(app)
    const dying = app.mail.deliverDue()

    const mailer = createTestMailer()
    const peer = await createPeer(app, mailer)
    peer.clock.advance(59)
    expect(await peer.mail.deliverDue()).toBe(0)
    peer.clock.advance(1)
    expect(await peer.mail.deliverDue()).toBe(1)
    expect(mailer.sent).toHaveLength(1)

    // It was not dead after all: what it says now changes nothing.
    const before = await readOutbox(app)
    stuck.fail(new Error('too late'))
    await dying
    expect(await readOutbox(app)).toEqual(before)
    expect(await peer.mail.deliverDue()).toBe(0)
  })
})

test('a mail of a transaction that is rolled back is never sent', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  const failing = app.db.transaction(async (tx) => {
    await app.mail.outbox.enqueue(tx, {
      to: 'alice@example.com',
      subject: 'Your password was changed',
      template: 'password_changed',
      variables: { username: 'alice' },
    })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await app.mail.deliverDue()).toBe(0)
})

describe('while the service listens', () => {
  const listen = async (mailer: Parameters<typeof createTestApp>[2]) => {
    const app = await createTestApp({}, false, mailer)
    await app.listen({ host: '127.0.0.1', port: 0 })
    return app
  }

  test('a mail goes out by itself, and what is under way is finished before the stop', async () => {
    const started = createGate()
    const accepted = createGate()
    const app = await listen({
      mailer: {
        send() {
          started.open()
          return accepted.passed
        },
      },
    })
    await register(app)
    await started.passed
    const closed = app.close()
    accepted.open()
    await closed
    expect(await readOutbox(app)).toMatchObject([{ attempts: 1, sentAt: expect.any(Date) }])
  })

  test('a mail that a request queues goes out at once, before anybody looks again', async () => {
    // The job looks every second: that second never passes here.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sent = createGate()
    const app = await listen({ mailer: { send: async () => sent.open() } })
    await register(app)
    await sent.passed
    vi.useRealTimers()
  })

  test('a mail server that hangs delays no request', async () => {
    const stuck = createGate()
    const app = await listen({ mailer: { send: () => stuck.passed } })
    await register(app, 'alice')
    await register(app, 'bob')
    expect((await app.inject({ url: '/health/ready' })).statusCode).toBe(200)
    stuck.open()
  })

  test('a mailer is closed after the last mail', async () => {
    const order: string[] = []
    const started = createGate()
    const app = await listen({
      mailer: {
        async send() {
          started.open()
          await new Promise(setImmediate)
          order.push('sent')
        },
        close: () => void order.push('closed'),
      },
    })
    await register(app)
    await started.passed
    await app.close()
    expect(order).toEqual(['sent', 'closed'])
  })
})

test('a mail that does not fit its template fails what would queue it', async () => {
  const app = await createTestApp()
  const mail = { to: 'alice@example.com', subject: 'Subject', template: 'password_changed', variables: {} }
  await expect(app.db.transaction((tx) => app.mail.outbox.enqueue(tx, mail))).rejects.toThrow(
    'needs username',
  )
  expect(await readOutbox(app)).toEqual([])
})

test('without a mail server mails are kept: none is tried, however long they wait', async () => {
  const app = await createTestApp()
  await queueMails(app)
  app.clock.advance(48 * 60 * 60)
  expect(await app.mail.deliverDue()).toBe(0)
  expect(await readOutbox(app)).toMatchObject([{ attempts: 0, sentAt: null, failedAt: null }])
})

test('a sender that is still the placeholder is told at the start', async () => {
  const lines: string[] = []
  await createTestApp(smtpSettings(25), { level: 'warn', stream: { write: (line) => void lines.push(line) } })
  expect(lines.join('')).toContain('no-reply@example.com')
})

test.each([
  ['production', 1],
  ['development', 0],
])('in %s a start without a mail server warns: %i', async (environment, count) => {
  const lines: string[] = []
  await createTestApp(
    { NODE_ENV: environment },
    { level: 'warn', stream: { write: (line) => void lines.push(line) } },
  )
  expect(lines.filter((line) => line.includes('no mail server is set'))).toHaveLength(count)
})
