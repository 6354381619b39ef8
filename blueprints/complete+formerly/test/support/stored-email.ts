import { eq } from 'drizzle-orm'
import { outbox } from '../../src/db/schema/outbox.ts'
import { seal } from '../../src/email/seal.ts'
import { deriveKeys } from '../../src/sessions/keys.ts'
import type { TestApp } from './app.ts'
import { queueEmails } from './mailer.ts'

/** Queues an email to user0@example.com as another version or profile stored it. */
export async function queueStored(app: TestApp, template: string, variables: Record<string, string>) {
  await queueEmails(app)
  const sealedVariables = seal(JSON.stringify(variables), deriveKeys(app.config.accessTokens).outbox)
  await app.db.transaction(async (tx) => {
    await tx.update(outbox).set({ template, sealedVariables }).where(eq(outbox.id, 1))
  })
}
