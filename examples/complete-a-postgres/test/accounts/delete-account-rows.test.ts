import { expect, test } from 'vitest'
import { emailChanges } from '../../src/db/schema/email-changes.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { sessions } from '../../src/sessions/store.ts'
import { deleteMe, putMe, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import {
  handleMailRequests,
  post,
  refresh,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  undoEmailChange,
} from '../support/flows.ts'
import { mailedToken, mailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

test('sessions, mailed tokens, reserved addresses and queued mails are deleted with the account', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  await registerVerified(app, 'bob')
  const bobs = (await mailsTo(app, 'bob@example.com')).length
  const other = await startSession(app)
  const { accessToken } = await startSession(app)
  await putMe(app, accessToken, { email: 'new@example.com' })
  const undo = await mailedToken(app, 'undo')
  const reset = await requestReset(app)
  expect((await deleteMe(app, accessToken)).statusCode).toBe(204)

  expectProblem(await refresh(app, other.refreshToken), 'invalid_refresh_token')
  expectProblem(await resetPassword(app, reset), 'invalid_or_expired_token')
  expectProblem(await undoEmailChange(app, undo), 'invalid_or_expired_token')
  const { read } = app.db
  expect(await read.$count(sessions)).toBe(0)
  expect(await read.$count(emailChanges)).toBe(0)
  expect(await read.$count(outbox)).toBe(bobs)
  await register(app)
  await register(app, 'new')
})

test('registering an address and deleting the user, over and over, does not flood its mailbox', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAILS: '2' })
  const sent: number[] = []
  for (let round = 0; round < 4; round++) {
    await register(app)
    sent.push((await mailsTo(app)).length)
    await deleteMe(app, (await startSession(app)).accessToken)
  }
  expect(sent).toEqual([1, 1, 0, 0])
})

test('a request for a mail that waits finds no user', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  await post(app, 'forgot-password', { email: 'alice@example.com' })
  await deleteMe(app, accessToken)
  await handleMailRequests(app)
  expect(await mailsTo(app)).toEqual([])
})
