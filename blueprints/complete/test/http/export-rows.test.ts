import { expect, test } from 'vitest'
import { emailChanges } from '../../src/db/schema/email-changes.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { getExport, putMe } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { registerVerified, requestReset, startSession } from '../support/flows.ts'
import { mailedTokens } from '../support/mailbox.ts'

test('the export lists sessions, mailed tokens, changed addresses and mails, without tokens', async () => {
  const app = await createTestApp()
  await registerVerified(app, 'bob')
  await startSession(app, 'bob')
  await registerVerified(app)
  await startSession(app)
  const { accessToken, refreshToken } = await startSession(app)
  await putMe(app, accessToken, { email: 'new@example.com' })
  const reset = await requestReset(app)
  const response = await getExport(app, accessToken)
  const body = response.json()
  expect(body.user).toMatchObject({ email: 'new@example.com', verified_email: 'alice@example.com' })
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
  expect(new Set(recipients)).toEqual(new Set(['alice@example.com', 'new@example.com']))

  const rows = [
    ...(await app.db.read.select().from(outbox)),
    ...(await app.db.read.select().from(emailChanges)),
  ]
  const sealed = rows.map((row) => ('token' in row ? row.token : String(row.sealedVariables)))
  const mailed = [...(await mailedTokens(app, 'verification')), ...(await mailedTokens(app, 'undo')), reset]
  for (const secret of [...sealed, ...mailed, refreshToken, accessToken, 'bob'])
    expect(response.body).not.toContain(secret)
})
