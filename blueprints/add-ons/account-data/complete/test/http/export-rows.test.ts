import { isNotNull } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { emailChanges } from '../../src/db/schema/email-changes.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { users } from '../../src/db/schema/users.ts'
import { getExport } from '../support/account-data.ts'
import { getMe, putMe } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { registerVerified, requestReset, startSession } from '../support/flows.ts'
import { emailedTokens } from '../support/mailbox.ts'

test('the export lists sessions, emailed tokens, changed addresses and emails, without tokens', async () => {
  const app = await createTestApp()
  await registerVerified(app, 'bob')
  await startSession(app, 'bob')
  await registerVerified(app)
  await startSession(app)
  const { accessToken, refreshToken } = await startSession(app)
  await changeEmail(app, accessToken, 'new@example.com')
  await putMe(app, accessToken, { email: 'third@example.com' })
  const reset = await requestReset(app, 'new@example.com')
  const response = await getExport(app, accessToken)
  const body = response.json()
  expect(body.user).toMatchObject({ email: 'new@example.com', pending_email: 'third@example.com' })
  expect(body.sessions).toHaveLength(2)
  expect(body.sessions[0]).toMatchObject({ created_at: '2026-01-01T12:00:00.250Z', last_used_at: null })
  expect(body.mailed_tokens).toContainEqual({
    kind: 'reset',
    is_used: false,
    created_at: '2026-01-01T12:00:00.250Z',
    expires_at: '2026-01-01T12:30:00.250Z',
  })
  expect(body.email_changes).toEqual([{ email: 'alice@example.com', expires_at: '2026-01-08T12:00:00.250Z' }])
  const recipients = body.mails.map(({ recipient }: { recipient: string }) => recipient)
  expect(new Set(recipients)).toEqual(new Set(['alice@example.com', 'new@example.com', 'third@example.com']))

  const rows = [
    ...(await app.db.read.select().from(outbox)),
    ...(await app.db.read.select().from(emailChanges)),
    ...(await app.db.read.select().from(users).where(isNotNull(users.pendingEmailToken))),
  ]
  const sealed = rows.map((row) =>
    String('token' in row ? row.token : 'username' in row ? row.pendingEmailToken : row.sealedVariables),
  )
  const emailed = [
    ...(await emailedTokens(app, 'verification')),
    ...(await emailedTokens(app, 'confirm', 'third@example.com')),
    ...(await emailedTokens(app, 'undo')),
    reset,
  ]
  for (const secret of [...sealed, ...emailed, refreshToken, accessToken, 'bob'])
    expect(response.body).not.toContain(secret)
})

test('the user in the export is the current one, with the address of a requested change', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  await putMe(app, accessToken, { email: 'new@example.com' })
  const { user } = (await getExport(app, accessToken)).json()
  expect(user).toMatchObject((await getMe(app, accessToken)).json())
  expect(user).toMatchObject({
    email: 'alice@example.com',
    is_verified: true,
    pending_email: 'new@example.com',
  })
})
