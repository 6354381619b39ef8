import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { timeIn } from '../../src/db/queries.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { smtpSettings } from '../support/mail-settings.ts'
import {
  createGate,
  createPeer,
  createStuckMailer,
  createTestMailer,
  deliverDue,
  queueMails,
} from '../support/mailer.ts'

const readOutbox = (app: TestApp) => app.db.read.select().from(outbox).orderBy(outbox.id)

describe('with several processes', () => {
  test('each mail is sent by only one of them', async () => {
    const mailer = createTestMailer()
    const app = await createTestApp({}, false, { mailer })
    const peer = await createPeer(app, mailer)
    await queueMails(app, 30)
    const tried = await Promise.all([deliverDue(app), deliverDue(peer), deliverDue(app)])
    expect(tried.reduce((sum, count) => sum + count)).toBe(30)
    expect(new Set(mailer.sent.map(({ messageId }) => messageId)).size).toBe(30)
    expect(mailer.tried).toHaveLength(30)
  })

  test('a mail claimed by a dead process is sent by another one after the lease', async () => {
    const stuck = createStuckMailer()
    const app = await createTestApp({}, false, { mailer: stuck })
    await queueMails(app)
    const dying = deliverDue(app)
    await stuck.called

    const mailer = createTestMailer()
    const peer = await createPeer(app, mailer)
    peer.clock.advance(60 - 1)
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

  test('the lease does not depend on their clocks: the one that is ahead would send the mail again', async () => {
    const stuck = createStuckMailer()
    const mailTime = undefined
    const app = await createTestApp({}, false, { mailer: stuck, mailTime })
    await queueMails(app)
    const sending = deliverDue(app)
    await stuck.called
    const mailer = createTestMailer()
    const ahead = await createTestApp({}, false, { db: app.db, mailer, mailTime })
    ahead.clock.advance(60 * 60)
    expect(await deliverDue(ahead)).toBe(0)

    await app.db.transaction(async (tx) => {
      await tx.update(outbox).set({ nextAttemptAt: timeIn(0) })
    })
    expect(await deliverDue(ahead)).toBe(1)
    stuck.open()
    await sending
  })

  test('a late failure does not free a mail that another one is sending: it would be sent twice', async () => {
    const [stuck, sending] = [createStuckMailer(), createStuckMailer()]
    const app = await createTestApp({}, false, { mailer: stuck })
    await queueMails(app)
    const late = deliverDue(app)
    await stuck.called
    const peer = await createPeer(app, sending)
    peer.clock.advance(60)
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

// Otherwise a server that needs minutes to accept a mail would get one more copy a minute.
test('an attempt renews its lease as long as it runs', async () => {
  const [started, sending] = [createGate(), createGate()]
  const send = () => {
    started.open()
    return sending.passed
  }
  const app = await createTestApp({}, false, { mailer: { send } })
  await queueMails(app)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const delivered = deliverDue(app)
  await started.passed
  const mailer = createTestMailer()
  const peer = await createPeer(app, mailer)
  const leaseEnd = async () => (await readOutbox(app))[0]?.nextAttemptAt.getTime()
  for (let renewals = 0; renewals < 20; renewals += 1) {
    const former = await leaseEnd()
    for (const { clock } of [app, peer]) clock.advance(15)
    await vi.advanceTimersByTimeAsync(15_000)
    // The timer does not wait for the database.
    while ((await leaseEnd()) === former) await new Promise(setImmediate)
    expect(await deliverDue(peer)).toBe(0)
  }
  sending.open()
  expect(await delivered).toBe(1)
  expect(await readOutbox(app)).toMatchObject([{ attempts: 1, sentAt: expect.any(Date) }])
  // Ended, it does not write any more.
  expect(vi.getTimerCount()).toBe(0)
})

describe('if the database fails when the mail server has accepted a mail', () => {
  /**
   * Sends a mail, after which the database fails for a while.
   * @param failures how often the mail cannot be recorded as sent
   * @param stop stops the service at the first failure
   */
  async function sendMail(failures: number, stop?: AbortController) {
    const { db } = await createTestApp()
    const counts = { sent: 0, failures: 0, renewals: 0 }
    let isAdvancing = false
    const advance = () => {
      isAdvancing = true
      vi.advanceTimersByTime(1_000)
      isAdvancing = false
    }
    const transaction: typeof db.transaction = async (work, options) => {
      if (isAdvancing) counts.renewals += 1
      else if (counts.sent > 0 && counts.failures < failures) {
        counts.failures += 1
        stop?.abort(new Error('The service is stopping'))
        setImmediate(advance)
        throw new Error('Connection terminated')
      }
      return db.transaction(work, options)
    }
    const send = async () => {
      counts.sent += 1
    }
    const app = await createTestApp({}, false, { db: { ...db, transaction }, mailer: { send } })
    await queueMails(app)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const [{ status }] = await Promise.allSettled([app.mail.delivery?.deliverNext(stop?.signal)])
    await new Promise(setImmediate)
    vi.useRealTimers()
    return { app, counts, status }
  }

  test('it is recorded as sent once the database is back: it would be sent again', async () => {
    const { app, counts, status } = await sendMail(16)
    expect(status).toBe('fulfilled')
    expect(await readOutbox(app)).toMatchObject([{ sentAt: expect.any(Date), sealedVariables: null }])
    app.clock.advance(60)
    expect(await deliverDue(app)).toBe(0)
    // Until then, no other instance may claim it.
    expect(counts).toEqual({ sent: 1, failures: 16, renewals: 1 })
  })

  test('and stays down, or the service stops, the record is given up', async () => {
    const down = await sendMail(Number.POSITIVE_INFINITY)
    expect(down).toMatchObject({ status: 'rejected', counts: { sent: 1, failures: 60 } })
    const stopping = await sendMail(Number.POSITIVE_INFINITY, new AbortController())
    expect(stopping).toMatchObject({ status: 'rejected', counts: { sent: 1, failures: 1 } })
  })
})

test('an attempt that never ends is aborted', async () => {
  const started = createGate()
  let given: AbortSignal | undefined
  const send = (_mail: object, signal: AbortSignal) => {
    given = signal
    started.open()
    return createGate().passed
  }
  const app = await createTestApp({}, false, { mailer: { send } })
  await queueMails(app)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const delivered = deliverDue(app)
  await started.passed
  vi.advanceTimersByTime(12 * 60_000 - 1)
  expect(given?.aborted).toBe(true)
  expect(await delivered).toBe(1)
})

test('a mail that was queued before the update to priorities and domains is sent', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  await register(app)
  await app.db.transaction(async (tx) => {
    await tx.update(outbox).set({ domain: '', priority: 2, notAfter: null })
  })
  await deliverDue(app)
  expect(mailer.sent).toHaveLength(1)
})

test('a mail of a transaction that is rolled back is never sent', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  const failing = app.db.transaction(async (tx) => {
    await app.mail.outbox.enqueue(tx, {
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

  test('queued mails are sent, and current attempts finish before the stop', async () => {
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

  test('a mail queued by a request is sent immediately, before the next poll', async () => {
    // The job polls every second. That second never passes in this test.
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

  test('the mailer is closed after the last mail', async () => {
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

test('a mail without a variable of its template fails when it is queued', async () => {
  const app = await createTestApp()
  const mail = { to: 'alice@example.com', template: 'password_changed', variables: {} }
  await expect(app.db.transaction((tx) => app.mail.outbox.enqueue(tx, mail))).rejects.toThrow(
    'needs username',
  )
  expect(await readOutbox(app)).toEqual([])
})

test('without a mail server mails are kept and never tried', async () => {
  const app = await createTestApp()
  await queueMails(app)
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
  ['production', 1],
  ['development', 0],
])('in %s a start without a mail server logs %i warnings', async (environment, count) => {
  const lines: string[] = []
  await createTestApp(
    { NODE_ENV: environment },
    { level: 'warn', stream: { write: (line) => void lines.push(line) } },
  )
  expect(lines.filter((line) => line.includes('no mail server is set'))).toHaveLength(count)
})
