import { expect, test, vi } from 'vitest'
import { outbox } from '../../src/db/schema/outbox.ts'
import { mailWorkers } from '../../src/jobs/mail-delivery.ts'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { forgotPassword } from '../support/flows.ts'
import { createGate, createTestMailer, deliverDue, queueMails } from '../support/mailer.ts'

test('password resets are sent before verifications, and those before notices', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  await queueMails(app)
  await register(app)
  app.clock.advance(60)
  await forgotPassword(app)
  await deliverDue(app)

  const queued = await app.db.read.select().from(outbox)
  const templates = mailer.sent.map(
    ({ messageId }) => queued.find((mail) => mail.messageId === messageId)?.template,
  )
  expect(templates).toEqual([
    expect.stringContaining('reset'),
    expect.stringContaining('verification'),
    'password_changed',
  ])
})

test('a retry is sent before newer mails of its kind', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  mailer.fail = true
  await queueMails(app)
  await deliverDue(app)
  mailer.fail = false
  app.clock.advance(16)
  await queueMails(app, 2)
  await deliverDue(app)
  expect(mailer.sent).toHaveLength(3)
  expect(mailer.sent[0]?.messageId).toBe(mailer.tried[0]?.messageId)
})

test('a long queue to full domains does not hide the mails behind it', async () => {
  const stuck = createGate()
  const tried: string[] = []
  const send = ({ to }: { to: string }) => {
    tried.push(to)
    return stuck.passed
  }
  const app = await createTestApp({}, false, { mailer: { send } })
  const attempts: Promise<unknown>[] = []
  let idle = 0
  const deliverNext = async () => {
    if (!(await app.mail.delivery?.deliverNext())) idle += 1
  }
  /** Starts attempts, and resolves when each has passed its mail to the mailer, or found none. */
  const startAttempts = async (count: number) => {
    for (let index = 0; index < count; index += 1) attempts.push(deliverNext())
    await vi.waitUntil(() => tried.length + idle === attempts.length, { timeout: 300_000 })
  }
  for (const domain of ['b.example', 'd.example']) await queueMails(app, 60, domain)
  await startAttempts(mailWorkers)
  for (const domain of ['a.example', 'c.example', 'e.example']) await queueMails(app, 1, domain)
  await startAttempts(3)
  expect(tried.slice(mailWorkers).toSorted()).toEqual([
    'user0@a.example',
    'user0@c.example',
    'user0@e.example',
  ])
  expect(await app.mail.delivery?.deliverNext()).toBe(false)
  stuck.open()
  await Promise.all(attempts)
})

// An outbox that is sent slowly delays every reset: each transaction waits for the disk.
test('workers that wait for a mail claim theirs in one transaction', async () => {
  const { db } = await createTestApp()
  let transactions = 0
  const counted: typeof db = {
    ...db,
    transaction(work, options) {
      transactions += 1
      return db.transaction(work, options)
    },
  }
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { db: counted, mailer })
  await queueMails(app)
  await queueMails(app, 1, 'b.example')
  await queueMails(app, 2, 'c.example')
  transactions = 0
  await Promise.all(Array.from({ length: mailWorkers }, () => app.mail.delivery?.deliverNext()))
  expect(mailer.sent).toHaveLength(mailWorkers)
  // A claim and, for each mail, a record.
  expect(transactions).toBe(1 + mailWorkers)
})

test('at most half of the workers send to one domain', async () => {
  const stuck = createGate()
  let attempts = 0
  const mailer = {
    send: () => {
      attempts += 1
      if (attempts === mailWorkers) stuck.open()
      return stuck.passed
    },
  }
  const app = await createTestApp({}, false, { mailer })
  await queueMails(app, 8)
  const half = mailWorkers / 2
  const workers = Array.from({ length: mailWorkers }, () => app.mail.delivery?.deliverNext())
  Promise.all(workers.slice(half)).then(stuck.open)
  expect(await Promise.all(workers)).toEqual([...Array(half).fill(true), ...Array(half).fill(false)])
  expect(await deliverDue(app)).toBe(8 - half)
})

test('workers that find the first domain full take mails to others', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  await queueMails(app, mailWorkers)
  await queueMails(app, mailWorkers / 2, 'b.example')
  const workers = Array.from({ length: mailWorkers }, () => app.mail.delivery?.deliverNext())
  expect(await Promise.all(workers)).toEqual(Array(mailWorkers).fill(true))
})

// A relay that accepts only so many connections would refuse the mails to all domains.
test('mails to one domain that hang do not take all connections', async () => {
  const stuck = createGate()
  let tried = 0
  const send = async () => {
    tried += 1
    await stuck.passed
  }
  const app = await createTestApp({}, false, { mailer: { send } })
  await queueMails(app, 30)
  const attempts: unknown[] = []
  for (let count = 2; count <= 20; count += 2) {
    attempts.push(app.mail.delivery?.deliverNext(), app.mail.delivery?.deliverNext())
    await vi.waitFor(() => expect(tried).toBe(count), { timeout: 300_000 })
    app.clock.advance(10)
  }
  const claimed = createGate()
  const next = app.mail.delivery?.deliverNext(undefined, claimed.open)
  expect(await Promise.race([next, claimed.passed.then(() => 'claimed')])).toBe(false)
  stuck.open()
  await Promise.all(attempts)
})

// A server may take ten minutes to accept a mail (RFC 5321), or never answer for a single recipient.
test('attempts that hang do not keep the mails to their domain waiting', async () => {
  const [stuck, hanging] = [createGate(), createGate()]
  const half = mailWorkers / 2
  const tried: string[] = []
  const send = async ({ to }: { to: string }) => {
    tried.push(to)
    if (tried.length === half) hanging.open()
    if (tried.length <= half) await stuck.passed
  }
  const app = await createTestApp({}, false, { mailer: { send } })
  await queueMails(app, half + 2)
  const attempts = Array.from({ length: half }, () => app.mail.delivery?.deliverNext())
  await hanging.passed
  app.clock.advance(9)
  expect(await deliverDue(app)).toBe(0)
  app.clock.advance(1)
  expect(await deliverDue(app)).toBe(2)
  stuck.open()
  await Promise.all(attempts)
})
