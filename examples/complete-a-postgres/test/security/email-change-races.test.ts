import { expect, test } from 'vitest'
import { logIn, password, putMe, readUser } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { post, registerVerified, undoEmailChange, verify } from '../support/flows.ts'
import { mailedToken, mailedTokens } from '../support/mailbox.ts'

const owned = 'alice@example.com'
const ten = Array.from({ length: 10 }, (_, index) => index)

const registerOwned = (app: TestApp, number: number) =>
  post(app, 'register', { username: `thief${number}`, email: owned, password })

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

test('no one can register a verified address while its user changes it', async () => {
  const { app, token } = await victim()
  const change = putMe(app, token, { email: 'new@example.com' })
  expect(await statuses([change, ...ten.map((number) => registerOwned(app, number))])).toEqual({
    200: 1,
    409: 10,
  })
})

test('no one can register a verified address while the next one is verified, or the change is undone', async () => {
  const { app, id, token } = await victim()
  await putMe(app, token, { email: 'new@example.com' })
  const verification = verify(app, await mailedToken(app, 'verification', 'new@example.com'))
  expect(await statuses([verification, ...ten.map((number) => registerOwned(app, number))])).toEqual({
    200: 1,
    409: 10,
  })
  const undo = undoEmailChange(app, await mailedToken(app, 'undo'))
  expect(await statuses([undo, ...ten.map((number) => registerOwned(app, number))])).toEqual({
    200: 1,
    409: 10,
  })
  expect((await readUser(app, id)).email).toBe(owned)
})

test('of 10 concurrent uses of a token that undoes a change exactly one succeeds', async () => {
  const { app, token } = await victim({ RATE_LIMIT_TOKEN_FAILURES: '20' })
  await putMe(app, token, { email: 'new@example.com' })
  const undo = await mailedToken(app, 'undo')
  expect(await statuses(ten.map(() => undoEmailChange(app, undo)))).toEqual({ 200: 1, 400: 9 })
})

test('a thief who changes the address at the same time loses it', async () => {
  const { app, id, token } = await victim()
  await putMe(app, token, { email: 'thief@example.com' })
  const undo = await mailedToken(app, 'undo')
  await Promise.all([
    ...ten.slice(0, 5).map((number) => putMe(app, token, { email: `thief${number}@example.com` })),
    undoEmailChange(app, undo),
  ])
  expect(await readUser(app, id)).toMatchObject({ email: owned, isVerified: true })
})

test('a thief who changes the address again and again uses up no way back', async () => {
  const { app, id, token } = await victim()
  for (const number of ten) await putMe(app, token, { email: `thief${number}@example.com` })
  await verify(app, await mailedToken(app, 'verification', 'thief9@example.com'))
  const mailed = await mailedTokens(app, 'undo')
  expect(mailed).toHaveLength(5)
  // Also the oldest one, which the owner may be reading.
  expect((await undoEmailChange(app, mailed[0] ?? '')).statusCode).toBe(200)
  expect((await readUser(app, id)).email).toBe(owned)
})

test('a thief who knows the password cannot exhaust the notices either', async () => {
  const { app, id } = await victim()
  for (const number of ten) {
    const changed = await putMe(app, await logIn(app), { email: `thief${number}@example.com` })
    expect(changed.statusCode).toBe(200)
    expect((await undoEmailChange(app, await mailedToken(app, 'undo'))).statusCode).toBe(200)
  }
  expect((await readUser(app, id)).email).toBe(owned)
})
