import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { timeIn } from '../../src/db/queries.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { queueEmail } from '../../src/email/outbox.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { smtpSettings } from '../support/email-settings.ts'
import { createGate, createPeer, createTestMailer, deliverDue, queueEmails } from '../support/mailer.ts'

const readOutbox = (app: TestApp) => app.db.read.select().from(outbox).orderBy(outbox.id)

/** A mailer that hangs until the test opens its gate, or lets it fail. `called` resolves when it gets an email. */
function createStuckMailer() {
  const [call, gate] = [createGate(), createGate()]
  const send = () => {
    call.open()
    return gate.passed
  }
  return { ...gate, send, called: call.passed }
}

describe('with several processes', () => {
  test('each email is sent by only one of them', async () => {
    const mailer = createTestMailer()
    const app = await createTestApp({}, false, { mailer })
    const peer = await createPeer(app, mailer)
    await queueEmails(app, 30)
    const tried = await Promise.all([deliverDue(app), deliverDue(peer), deliverDue(app)])
    expect(tried.reduce((sum, count) => sum + count)).toBe(30)
    expect(new Set(mailer.sent.map(({ messageId }) => messageId)).size).toBe(30)
    expect(mailer.tried).toHaveLength(30)
  })

  test('an email claimed by a dead process is sent by another one after the lease', async () => {
    const stuck = createStuckMailer()
    const app = await createTestApp({}, false, { mailer: stuck })
    await queueEmails(app)
    const dying = deliverDue(app)
    await stuck.called

    const mailer = createTestMailer()
    const peer = await createPeer(app, mailer)
    peer.clock.advance(90 - 1)
    expect(await deliverDue(peer)).toBe(0)
    peer.clock.advance(1)
    expect(await deliverDue(peer)).toBe(1)
    expect(mailer.sent).toHaveLength(1)

    // The first process is alive after all. Its late result must not change anything.
    const before = await readOutbox(app)
    stuck.fail(new Error('too late'))
    await dying
    expect(await readOutbox(app)).toEqual(before)
    expect(await deliverDue(peer)).toBe(0)
  })

  test('the lease does not depend on their clocks: the one that is ahead would send the email again', async () => {
    const stuck = createStuckMailer()
    const emailTime = undefined
    const app = await createTestApp({}, false, { mailer: stuck, emailTime })
    await queueEmails(app)
    const sending = deliverDue(app)
    await stuck.called
    const mailer = createTestMailer()
    const ahead = await createTestApp({}, false, { db: app.db, mailer, emailTime })
    ahead.clock.advance(60 * 60)
    expect(await deliverDue(ahead)).toBe(0)

    await app.db.transaction(async (tx) => {
      await tx.update(outbox).set({ nextAttemptAt: timeIn(0) })
    })
    expect(await deliverDue(ahead)).toBe(1)
    stuck.open()
    await sending
  })

  test('a late failure does not free an email that another one is sending: it would be sent twice', async () => {
    const [stuck, sending] = [createStuckMailer(), createStuckMailer()]
    const app = await createTestApp({}, false, { mailer: stuck })
    await queueEmails(app)
    const late = deliverDue(app)
    await stuck.called
    const peer = await createPeer(app, sending)
    peer.clock.advance(90)
    const current = deliverDue(peer)
    await sending.called

    const before = await readOutbox(app)
    stuck.fail(new Error('too late'))
    await late
    expect(await readOutbox(app)).toEqual(before)
    sending.open()
    await current
  })
})

describe('if the database fails when the mail server has accepted an email', () => {
  /** Sends an email, after which the database fails this often. */
  async function sendEmail(failures: number) {
    const { db } = await createTestApp()
    let left = 0
    const transaction: typeof db.transaction = async (work, options) => {
      if (left === 0) return db.transaction(work, options)
      left -= 1
      // The pause before the second try.
      if (left === failures - 1) setImmediate(() => vi.advanceTimersByTime(5_000))
      throw new Error('Connection terminated')
    }
    const send = async () => {
      left = failures
    }
    const app = await createTestApp({}, false, { db: { ...db, transaction }, mailer: { send } })
    await queueEmails(app)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const [{ status }] = await Promise.allSettled([deliverDue(app)])
    return { app, status }
  }

  test('it is recorded as sent once the database is back: it would be sent again', async () => {
    const { app, status } = await sendEmail(1)
    expect(status).toBe('fulfilled')
    expect(await readOutbox(app)).toMatchObject([{ sentAt: expect.any(Date), sealedVariables: null }])
    app.clock.advance(90)
    expect(await deliverDue(app)).toBe(0)
  })

  test('and stays down, the record is given up', async () => {
    const { app, status } = await sendEmail(2)
    expect(status).toBe('rejected')
    expect(await readOutbox(app)).toMatchObject([{ attempts: 1, sentAt: null }])
  })
})

test('a delivery that never ends is aborted before its lease ends', async () => {
  const started = createGate()
  let given: AbortSignal | undefined
  const send = (_mail: object, signal: AbortSignal) => {
    given = signal
    started.open()
    return createGate().passed
  }
  const app = await createTestApp({}, false, { mailer: { send } })
  await queueEmails(app)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const delivered = deliverDue(app)
  await started.passed
  vi.advanceTimersByTime(80_000)
  expect(given?.aborted).toBe(true)
  expect(await delivered).toBe(1)
})

test('an email of a transaction that is rolled back is never sent', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  const failing = app.db.transaction(async (tx) => {
    await queueEmail(app.ctx, tx, {
      to: 'alice@example.com',
      template: 'password_changed',
      variables: { username: 'alice' },
    })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await deliverDue(app)).toBe(0)
})

describe('while the service listens', () => {
  const listen = async (mailer: Parameters<typeof createTestApp>[2]) => {
    const app = await createTestApp({}, false, mailer)
    await app.listen({ host: '127.0.0.1', port: 0 })
    return app
  }

  test('queued emails are sent, and current deliveries finish before the stop', async () => {
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

  test('an email queued by a request is sent immediately, before the next look', async () => {
    // The workers look every second. That second never passes in this test.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sent = createGate()
    const app = await listen({ mailer: { send: async () => sent.open() } })
    await register(app)
    await sent.passed
    vi.useRealTimers()
  })

  test('a hanging mail server does not delay requests', async () => {
    const stuck = createGate()
    const app = await listen({ mailer: { send: () => stuck.passed } })
    await register(app, 'alice')
    await register(app, 'bob')
    expect((await app.inject({ url: '/health/ready' })).statusCode).toBe(200)
    stuck.open()
  })

  test('the mailer is closed after the last email', async () => {
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

test('an email without a variable of its template fails when it is queued', async () => {
  const app = await createTestApp()
  const email = { to: 'alice@example.com', template: 'password_changed', variables: {} }
  await expect(app.db.transaction((tx) => queueEmail(app.ctx, tx, email))).rejects.toThrow('needs username')
  expect(await readOutbox(app)).toEqual([])
})

test('without a mail server emails are kept and never tried', async () => {
  const app = await createTestApp()
  await queueEmails(app)
  app.clock.advance(48 * 60 * 60)
  expect(await deliverDue(app)).toBe(0)
  expect(await readOutbox(app)).toMatchObject([{ attempts: 0, sentAt: null, failedAt: null }])
})

test('a placeholder as sender is logged at startup', async () => {
  const lines: string[] = []
  await createTestApp(smtpSettings(25), { level: 'warn', stream: { write: (line) => void lines.push(line) } })
  expect(lines.join('')).toContain('no-reply@example.com')
})

test.each([
  ['production', [], 1],
  ['development', [], 1],
  ['development, with a mailbox', [async () => {}], 0],
])('in %s a start without a mail server logs a warning, or none', async (environment, plugins, count) => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const NODE_ENV = environment.split(',', 1)[0] ?? ''
  const app = await createTestApp({ NODE_ENV }, { level: 'warn', stream }, { plugins })
  await app.listen({ host: '127.0.0.1', port: 0 })
  expect(lines.filter((line) => line.includes('no mail server is set'))).toHaveLength(count)
})
