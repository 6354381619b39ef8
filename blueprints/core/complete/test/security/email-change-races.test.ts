import { expect, test } from 'vitest'
import { keepEmail, changeEmail as requestChange } from '../../src/accounts/change-email.ts'
import { callerOf, logIn, password, putMe, readUser } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { post, registerVerified, undoEmailChange, verify } from '../support/flows.ts'
import { emailedToken } from '../support/mailbox.ts'

const owned = 'alice@example.com'
const newEmail = 'new@example.com'
const ten = Array.from({ length: 10 }, (_, index) => index)

const registerAs = (app: TestApp, email: string, number: number) =>
  post(app, 'register', { username: `thief${number}`, email, password })

async function victim(env = {}) {
  const app = await createTestApp(env)
  const { id } = await registerVerified(app)
  return { app, id, token: await logIn(app) }
}

/** How many of the responses have each status. */
async function statuses(requests: Promise<{ statusCode: number }>[]) {
  const counts: Record<number, number> = {}
  for (const { statusCode } of await Promise.all(requests)) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

test('no one can register a former address while the change is confirmed or undone', async () => {
  const { app, id, token } = await victim()
  await putMe(app, token, { email: newEmail })
  const confirmation = verify(app, await emailedToken(app, 'confirm', newEmail), token)
  const during = ten.map((number) => registerAs(app, owned, number))
  expect(await statuses([confirmation, ...during])).toEqual({ 200: 1, 409: 10 })
  const undo = undoEmailChange(app, await emailedToken(app, 'undo'))
  const after = ten.map((number) => registerAs(app, owned, number))
  expect(await statuses([undo, ...after])).toEqual({ 200: 1, 409: 10 })
  expect((await readUser(app, id)).email).toBe(owned)
})

test('an address that is confirmed and registered at once belongs to one of the two', async () => {
  const { app, id, token } = await victim()
  await putMe(app, token, { email: newEmail })
  const confirmation = verify(app, await emailedToken(app, 'confirm', newEmail), token)
  const [confirmed, registered] = await Promise.all([confirmation, registerAs(app, newEmail, 1)])
  const isChanged = (await readUser(app, id)).email === newEmail
  expect([confirmed.statusCode, registered.statusCode]).toEqual(isChanged ? [200, 409] : [400, 201])
})

test('of 10 concurrent uses of a token exactly one succeeds', async () => {
  const { app, token } = await victim({ RATE_LIMIT_TOKEN_FAILURES: '100' })
  await putMe(app, token, { email: newEmail })
  const confirmation = await emailedToken(app, 'confirm', newEmail)
  expect(await statuses(ten.map(() => verify(app, confirmation, token)))).toEqual({ 200: 1, 400: 9 })
  const undo = await emailedToken(app, 'undo')
  expect(await statuses(ten.map(() => undoEmailChange(app, undo)))).toEqual({ 200: 1, 400: 9 })
})

test('a thief who asks for another address and confirms it at the same time loses the account to an undo', async () => {
  const { app, id, token } = await victim()
  await changeEmail(app, token, 'thief@example.com')
  const undo = await emailedToken(app, 'undo')
  await Promise.all([
    ...ten.slice(0, 5).map((number) => changeEmail(app, token, `thief${number}@example.com`)),
    undoEmailChange(app, undo),
  ])
  expect(await readUser(app, id)).toMatchObject({ email: owned, isVerified: true, pendingEmail: null })
})

/** The caller as a request has read them that started before a confirmation. */
async function staleCaller(app: TestApp, token: string) {
  const caller = await callerOf(app, token)
  await verify(app, await emailedToken(app, 'confirm', newEmail), token)
  return caller
}

test('a request for the address that is confirmed at the same time leaves nothing pending', async () => {
  const { app, token } = await victim()
  await putMe(app, token, { email: newEmail })
  const caller = await staleCaller(app, token)
  expect(await requestChange(app.ctx, caller, newEmail)).toMatchObject({
    email: newEmail,
    pendingEmail: null,
  })
})

test('a cancellation by an address that is changed at the same time does not pass for a change', async () => {
  const { app, token } = await victim()
  await putMe(app, token, { email: newEmail })
  const caller = await staleCaller(app, token)
  await expect(keepEmail(app.ctx, caller, owned)).rejects.toMatchObject({
    problem: { code: 'reauthentication_required' },
  })
})
