import type { Mailer, MailMessage } from '../../src/mail/mailer.ts'
import { createTestApp, type TestApp } from './app.ts'

/** A mailer that records all mails. If `fail` is set, it rejects. */
export interface TestMailer extends Mailer {
  sent: MailMessage[]
  tried: MailMessage[]
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

/** Tries to send all due mails, one after another. @returns how many were tried */
export async function deliverDue({ mail }: TestApp): Promise<number> {
  let tried = 0
  while (await mail.delivery?.deliverNext()) tried += 1
  return tried
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

/** A mailer that hangs until the test opens its gate, or lets it fail. `called` resolves when it gets a mail. */
export function createStuckMailer() {
  const [call, gate] = [createGate(), createGate()]
  const send = () => {
    call.open()
    return gate.passed
  }
  return { ...gate, send, called: call.passed }
}

/** Queues mails to user0@example.com, user1@example.com, … */
export const queueMails = (app: TestApp, count = 1, domain = 'example.com') =>
  app.db.transaction(async (tx) => {
    for (let index = 0; index < count; index += 1) {
      await app.mail.outbox.enqueue(tx, {
        to: `user${index}@${domain}`,
        template: 'password_changed',
        variables: { username: `user${index}` },
      })
    }
  })
