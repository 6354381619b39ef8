import { randomUUID } from 'node:crypto'
import type { KeyRing } from '../accounts/keys.ts'
import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import { outbox } from '../db/schema/outbox.ts'
import { seal } from './seal.ts'

export interface OutgoingMail {
  /** Address of the recipient, and nothing else: no name, no list. */
  to: string
  /** Fixed text: what a user wrote never gets into a header. */
  subject: string
  /** Name of the files in emails/, without their ending. */
  template: string
  variables: Record<string, string>
}

export interface Outbox {
  /** Queues a mail. It is sent if and only if the transaction is committed. */
  enqueue(tx: Transaction, mail: OutgoingMail): Promise<void>
}

export function createOutbox(settings: Config['mail'], keys: KeyRing, now: () => number): Outbox {
  const domain = settings.from.address.split('@').at(-1)
  return {
    async enqueue(tx, { to, subject, template, variables }) {
      const createdAt = new Date(now())
      await tx.insert(outbox).values({
        // RFC 5322 section 3.6.4: unique, at a domain of ours.
        messageId: `<${randomUUID()}@${domain}>`,
        recipient: to,
        subject,
        template,
        sealedVariables: seal(JSON.stringify(variables), keys),
        createdAt,
        nextAttemptAt: createdAt,
      })
    },
  }
}
