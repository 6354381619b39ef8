import { and, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { keptEmails } from '../../dev/mailbox/kept-emails.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import type { Mailer } from '../../src/email/smtp.ts'
import { logIn, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { registerVerified, resendVerification } from '../support/flows.ts'
import { createPeer, createTestMailer, deliverDue, queueEmails } from '../support/mailer.ts'
import { settingNames } from '../support/settings.ts'

const readOutbox = (app: TestApp) => app.db.read.select().from(outbox).orderBy(outbox.id)

describe('retries', () => {
  test('pauses double, and an email is given up one day after it was queued', async () => {
    const mailer = createTestMailer()
    mailer.fail = true
    const lines: string[] = []
    const app = await createTestApp(
      {},
      { level: 'error', stream: { write: (line) => void lines.push(line) } },
      { mailer },
    )
    await queueEmails(app)
    // The pauses double up to an hour. The last one is the rest of the day.
    const pauses = [15, 30, 60, 120, 240, 480, 960, 1920, ...Array(22).fill(3600), 3375]
    expect(pauses.reduce((sum, pause) => sum + pause)).toBe(24 * 60 * 60)
    for (const pause of pauses) {
      expect(await deliverDue(app)).toBe(1)
      app.clock.advance(pause - 1)
      expect(await deliverDue(app)).toBe(0)
      app.clock.advance(1)
    }
    expect(await deliverDue(app)).toBe(1)

    expect(await readOutbox(app)).toMatchObject([
      { sentAt: null, failedAt: expect.any(Date), sealedVariables: null },
    ])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'mail.given_up', mailId: 1, attempts: pauses.length + 1, reason: 'no connection' },
    ])
  })

  test('an email that waited for more than a day during an outage is still tried', async () => {
    const mailer = createTestMailer()
    const app = await createTestApp({}, false, { mailer })
    await queueEmails(app)
    app.clock.advance(25 * 60 * 60)
    await deliverDue(app)
    expect(mailer.sent).toHaveLength(1)
  })

  // The owner of a stolen account has no other way back.
  test('an email that undoes a change is tried until its token expires, and others for a day', async () => {
    const mailer = createTestMailer()
    mailer.fail = true
    const app = await createTestApp({}, false, { mailer })
    await registerVerified(app)
    await changeEmail(app, await logIn(app), 'new@example.com')
    await deliverDue(app)
    app.clock.advance(2 * 24 * 60 * 60)
    await deliverDue(app)
    mailer.fail = false
    app.clock.advance(60 * 60)
    await deliverDue(app)
    expect(mailer.sent.map(({ to, subject }) => [to, subject])).toEqual([
      ['alice@example.com', 'Your email address was changed'],
    ])
  })

  // A thief could fill the mailbox, so that the owner gets no way back.
  test('an email that undoes a change is tried again after a refusal', async () => {
    const mailer = createTestMailer()
    const full = {
      permanent: true,
      command: 'RCPT TO',
      responseCode: 552,
      response: '552 5.2.2 Mailbox full',
    }
    const { send } = mailer
    mailer.send = async () => Promise.reject(Object.assign(new Error('full'), full))
    const app = await createTestApp({}, false, { mailer })
    await registerVerified(app)
    await changeEmail(app, await logIn(app), 'new@example.com')
    await deliverDue(app)
    mailer.send = send
    app.clock.advance(60)
    await deliverDue(app)
    expect(mailer.sent.map(({ subject }) => subject)).toEqual(['Your email address was changed'])
  })

  test('an email that waited for a week is given up: no one expects it any more', async () => {
    const mailer = createTestMailer()
    const app = await createTestApp({}, false, { mailer })
    await queueEmails(app)
    app.clock.advance(7 * 24 * 60 * 60 - 1)
    await queueEmails(app)
    app.clock.advance(1)
    expect(await deliverDue(app)).toBe(2)
    expect(mailer.tried).toHaveLength(1)
    expect(await readOutbox(app)).toMatchObject([
      { sentAt: null, failedAt: expect.any(Date), sealedVariables: null },
      { sentAt: expect.any(Date), failedAt: null },
    ])
  })

  test('an email whose token has expired is given up: its code would be refused', async () => {
    const mailer = createTestMailer()
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const app = await createTestApp({}, { level: 'error', stream }, { mailer })
    await register(app)
    app.clock.advance(app.config.email.verificationSeconds)
    await deliverDue(app)
    expect(mailer.tried).toEqual([])
    expect(await readOutbox(app)).toMatchObject([{ failedAt: expect.any(Date), sealedVariables: null }])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'mail.given_up', mailId: 1, reason: 'The token in the email has expired' },
    ])

    app.clock.advance(60)
    await resendVerification(app)
    await deliverDue(app)
    expect(mailer.sent).toHaveLength(1)
  })

  test('an email is retried until its token expires', async () => {
    const mailer = createTestMailer()
    mailer.fail = true
    const app = await createTestApp({}, false, { mailer })
    await register(app)
    while ((await readOutbox(app))[0]?.failedAt === null) {
      await deliverDue(app)
      app.clock.advance(60)
    }
    const [email] = await readOutbox(app)
    const minutes = (Number(email?.failedAt) - Number(email?.createdAt)) / 60_000
    expect(minutes).toBe(app.config.email.verificationSeconds / 60)
    expect(mailer.tried).toHaveLength(Number(email?.attempts) - 1)
  })

  test('an email with a missing secret is kept until the secret is restored', async () => {
    const mailer = createTestMailer()
    const app = await createTestApp()
    await queueEmails(app)
    const other = await createPeer(app, mailer, {
      [settingNames.secret]: 'another-secret-of-at-least-32-bytes!',
    })
    await deliverDue(other)
    expect(mailer.tried).toEqual([])
    const back = await createPeer(app, mailer)
    back.clock.advance(15)
    await deliverDue(back)
    expect(mailer.sent).toHaveLength(1)
  })
})

describe('an email with a missing template', () => {
  async function queued(mailer?: Mailer) {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const app = await createTestApp({}, { level: 'error', stream }, { ...(mailer && { mailer }) })
    await queueEmails(app, 2)
    await rename(app, 'password_changed', 'template_of_old')
    return { app, entries: () => lines.map((line) => JSON.parse(line)) }
  }

  /** Sets another template on the first email. */
  const rename = (app: TestApp, from: string, to: string) =>
    app.db.transaction(async (tx) => {
      await tx
        .update(outbox)
        .set({ template: to })
        .where(and(eq(outbox.id, 1), eq(outbox.template, from)))
    })

  test('is logged and does not delay other emails', async () => {
    const mailer = createTestMailer()
    const { app, entries } = await queued(mailer)
    expect(await deliverDue(app)).toBe(2)
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

  test('is sent if the template is restored within a day', async () => {
    const mailer = createTestMailer()
    const { app } = await queued(mailer)
    await deliverDue(app)
    await rename(app, 'template_of_old', 'password_changed')
    app.clock.advance(15)
    await deliverDue(app)
    expect(mailer.sent.map(({ to }) => to)).toEqual(['user1@example.com', 'user0@example.com'])
  })

  test('is given up after a day', async () => {
    const { app, entries } = await queued(createTestMailer())
    app.clock.advance(24 * 60 * 60)
    await deliverDue(app)
    expect(await readOutbox(app)).toMatchObject([
      { sentAt: null, failedAt: expect.any(Date), sealedVariables: null },
      { sentAt: expect.any(Date) },
    ])
    expect(entries()).toMatchObject([{ event: 'mail.given_up', mailId: 1 }])
  })

  test('is not shown in the mailbox', async () => {
    const { app } = await queued()
    expect(await keptEmails(app)).toMatchObject([{ to: 'user1@example.com' }])
  })
})
