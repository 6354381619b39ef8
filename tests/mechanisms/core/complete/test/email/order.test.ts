import { expect, onTestFinished, test, vi } from 'vitest'
import { outbox } from '../../src/db/schema/outbox.ts'
import { queueEmail } from '../../src/email/outbox.ts'
import { workers } from '../../src/email/workers.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { forgotPassword } from '../support/flows.ts'
import { createGate, createTestMailer, deliverDue, queueEmails } from '../support/mailer.ts'

test('password resets are sent before verifications, and those before notices', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  await queueEmails(app)
  await register(app)
  app.clock.advance(60)
  await forgotPassword(app)
  await deliverDue(app)

  const queued = await app.db.read.select().from(outbox)
  const templates = mailer.sent.map(
    ({ messageId }) => queued.find((email) => email.messageId === messageId)?.template,
  )
  expect(templates).toEqual([
    expect.stringContaining('reset'),
    expect.stringContaining('verification'),
    'password_changed',
  ])
})

test("an owner's email waits for resets and verifications, whatever its template is called", async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  const { templates } = app.ctx.outbox
  const body = { subject: 'reset_reminder', html: '', text: '' }
  app.ctx.outbox.templates = {
    names: [...templates.names, body.subject],
    render: (template, given) => (template === body.subject ? body : templates.render(template, given)),
  }
  await app.db.transaction(async (tx) => {
    await queueEmail(app.ctx, tx, { to: 'bob@example.com', template: body.subject, variables: {} })
  })
  await register(app)
  await deliverDue(app)
  expect(mailer.sent.map(({ to }) => to)).toEqual(['alice@example.com', 'bob@example.com'])
})

test('a retry is sent before newer emails of its kind', async () => {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  mailer.fail = true
  await queueEmails(app)
  await deliverDue(app)
  mailer.fail = false
  app.clock.advance(16)
  await queueEmails(app, 2)
  await deliverDue(app)
  expect(mailer.sent).toHaveLength(3)
  expect(mailer.sent[0]?.messageId).toBe(mailer.tried[0]?.messageId)
})

/** Starts an app that sends. Emails to hanging.example hang until the test ends. */
async function listen(queue: (app: TestApp) => Promise<void>) {
  const stuck = createGate()
  const tried: string[] = []
  const send = async ({ to }: { to: string }) => {
    tried.push(to)
    if (to.endsWith('@hanging.example')) await stuck.passed
  }
  const app = await createTestApp({}, false, { mailer: { send } })
  onTestFinished(stuck.open)
  await queue(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, stuck, tried, sent: (email: string) => vi.waitUntil(() => tried.includes(email), patience) }
}
const patience = { timeout: 300_000 }

test('at most half of the workers send to one domain', async () => {
  const { app, stuck, tried, sent } = await listen(async (app) => {
    await queueEmails(app, workers, 'hanging.example')
    await queueEmails(app, workers)
  })
  await sent(`user${workers - 1}@example.com`)
  expect(tried).toHaveLength(workers / 2 + workers)
  stuck.open()
  await sent(`user${workers - 1}@hanging.example`)
  await app.close()
})

test('a long queue to a domain that hangs does not hide the emails behind it', async () => {
  const { sent } = await listen(async (app) => {
    await queueEmails(app, 100, 'hanging.example')
    for (const domain of ['a.example', 'z.example']) await queueEmails(app, 3, domain)
  })
  await sent('user2@a.example')
  await sent('user2@z.example')
})
