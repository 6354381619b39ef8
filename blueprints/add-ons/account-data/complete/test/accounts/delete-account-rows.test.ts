import { expect, test } from 'vitest'
import { deleteUser } from '../../src/accounts/delete-user.ts'
import { emailChanges } from '../../src/db/schema/email-changes.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { sessions } from '../../src/sessions/store.ts'
import { deleteMe } from '../support/account-data.ts'
import { password, putMe, readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { runCommand } from '../support/commands.ts'
import {
  handleRequests,
  post,
  refresh,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  undoEmailChange,
} from '../support/flows.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

test('sessions, emailed tokens, reserved addresses and queued emails are deleted with the account', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  await registerVerified(app, 'bob')
  const bobs = (await emailsTo(app, 'bob@example.com')).length
  const other = await startSession(app)
  const { accessToken } = await startSession(app)
  await changeEmail(app, accessToken, 'new@example.com')
  const undo = await emailedToken(app, 'undo')
  const reset = await requestReset(app, 'new@example.com')
  await putMe(app, accessToken, { email: 'third@example.com' })
  await runCommand(app, 'delete', 'alice', '--yes')

  expectProblem(await refresh(app, other.refreshToken), 'invalid_refresh_token')
  expectProblem(await resetPassword(app, reset), 'invalid_or_expired_token')
  expectProblem(await undoEmailChange(app, undo), 'invalid_or_expired_token')
  const { read } = app.db
  expect(await read.$count(sessions)).toBe(0)
  expect(await read.$count(emailChanges)).toBe(0)
  expect((await read.select().from(outbox)).filter(({ userId }) => userId !== null)).toHaveLength(bobs)
  const free = ['alice@example.com', 'new@example.com', 'third@example.com']
  for (const [index, email] of free.entries())
    expect((await post(app, 'register', { username: `next${index}`, email, password })).statusCode).toBe(201)
})

// A thief who deletes the account must not do so unnoticed.
test.each(['the API', 'the command'])('the user gets a notice if %s deletes the account', async (by) => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  // A request changes nothing.
  await putMe(app, accessToken, { email: 'new@example.com' })
  if (by === 'the API') await deleteMe(app, accessToken)
  else await runCommand(app, 'delete', 'alice', '--yes')
  expect((await emailsTo(app, 'new@example.com')).length).toBe(0)
  expect(await emailsTo(app)).toEqual([
    expect.objectContaining({ template: 'account_deleted', variables: { username: 'alice' } }),
  ])
})

test('an account whose address was changed is not deleted without a notice to the former one', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  await changeEmail(app, accessToken, 'thief@example.com')
  await runCommand(app, 'delete', 'alice', '--yes')
  for (const address of ['alice@example.com', 'thief@example.com'])
    expect((await emailsTo(app, address)).map(({ template }) => template)).toEqual(['account_deleted'])
})

// By the time of expiry: the clean-up may run late.
test('a former address whose change can no longer be undone gets no notice', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  await changeEmail(app, (await startSession(app)).accessToken, 'new@example.com')
  app.clock.advance(7 * 24 * 60 * 60)
  await runCommand(app, 'delete', 'alice', '--yes')
  expect(await emailsTo(app)).toEqual([])
  expect((await emailsTo(app, 'new@example.com')).at(-1)?.template).toBe('account_deleted')
})

// It may be a stranger's, who would take the notice for theirs.
test('an address that was never verified gets no notice', async () => {
  const app = await createTestApp()
  await register(app)
  await runCommand(app, 'delete', 'alice', '--yes')
  expect(await emailsTo(app)).toEqual([])
})

test('a deletion that fails sends no notice, and keeps the emails', async () => {
  const app = await createTestApp()
  const user = await readUser(app, (await registerVerified(app)).id)
  const emails = await emailsTo(app)
  const failed = new Error('disk full')
  const work = app.db.transaction(async (tx) => {
    await deleteUser(app.ctx, tx, user)
    throw failed
  })
  await expect(work).rejects.toBe(failed)
  expect(await emailsTo(app)).toEqual(emails)
})

test('registering an address and deleting the user, over and over, does not flood its mailbox', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAILS: '2' })
  const sent: number[] = []
  for (let round = 0; round < 4; round++) {
    await register(app, `alice${round}`, password, 'alice@example.com')
    sent.push((await emailsTo(app)).length)
    await deleteMe(app, (await startSession(app, `alice${round}`)).accessToken)
  }
  expect(sent).toEqual([1, 1, 0, 0])
})

test('a request for an email that waits finds no user', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  await post(app, 'forgot-password', { email: 'alice@example.com' })
  await deleteMe(app, accessToken)
  await handleRequests(app)
  expect((await emailsTo(app)).map(({ template }) => template)).toEqual(['account_deleted'])
})
