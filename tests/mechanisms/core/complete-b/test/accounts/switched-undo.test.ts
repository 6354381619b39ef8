import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { emailChanges } from '../../src/db/schema/email-changes.ts'
import { readUser } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { registerVerified, undoEmailChange } from '../support/flows.ts'

// The owner of the former mailbox has an email from before the switch.
test('a link of the other profile undoes a change of the address after a switch of the profile', async () => {
  const app = await createTestApp()
  const { id: userId } = await registerVerified(app)
  const text = 'Yq3Yq3Yq3Yq3Yq3Yq3Yq3Yq3Yq3Yq3Yq3Yq3Yq3Yq3A'
  const token = createHash('sha256').update(text).digest('hex')
  const expiresAt = new Date(app.now() + 60_000)
  const former = { userId, email: 'former@example.com', token, expiresAt, maxExpiresAt: expiresAt }
  await app.db.transaction((tx) => tx.insert(emailChanges).values(former))
  expect((await undoEmailChange(app, text)).statusCode).toBe(200)
  expect((await readUser(app, userId)).email).toBe('former@example.com')
})
