import { deliver } from '../../src/email/delivery.ts'
import { queueEmail } from '../../src/email/outbox.ts'
import type { EmailMessage, Mailer } from '../../src/email/smtp.ts'
import { claimNext } from '../../src/email/workers.ts'
import { createTestApp, type TestApp } from './app.ts'

/** A mailer that records all emails. If `fail` is set, it rejects. */
export interface TestMailer extends Mailer {
  sent: EmailMessage[]
  tried: EmailMessage[]
  fail: boolean
}

export function createTestMailer(): TestMailer {
  const mailer: TestMailer = {
    sent: [],
    tried: [],
    fail: false,
    async send(message) {
      mailer.tried.push(message)
      if (mailer.fail) throw new Error('no connection')
      mailer.sent.push(message)
    },
  }
  return mailer
}

/** Creates another instance of the service on the same database, with a separate clock. */
export const createPeer = (app: TestApp, mailer: Mailer, env: Record<string, string> = {}) =>
  createTestApp(env, false, { db: app.db, mailer })

/** Tries to send all due emails, one after another. @returns how many were tried */
export async function deliverDue({ email: { delivery } }: TestApp): Promise<number> {
  for (let tried = 0; ; tried += 1) {
    const email = delivery && (await claimNext(delivery))
    if (!email) return tried
    await deliver(delivery, email)
  }
}

/** A promise that a test settles by hand. */
export function createGate() {
  let open = () => {}
  let fail = (_error: Error) => {}
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  return { passed, open: () => open(), fail: (error: Error) => fail(error) }
}

/** Queues emails to user0@example.com, user1@example.com, … */
export const queueEmails = (app: TestApp, count = 1, domain = 'example.com') =>
  app.db.transaction(async (tx) => {
    for (let index = 0; index < count; index += 1) {
      await queueEmail(app.ctx, tx, {
        to: `user${index}@${domain}`,
        template: 'password_changed',
        variables: { username: `user${index}` },
      })
    }
  })
