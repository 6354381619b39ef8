import { describe, expect, test } from 'vitest'
import { cleanUp } from '../../src/jobs/clean-up.ts'
import { logIn, password, putMe, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import {
  forgotPassword,
  newPassword,
  post,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  undoEmailChange,
  verify,
} from '../support/flows.ts'
import { mailedToken, mailedTokens, mailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const owned = 'alice@example.com'
const stolen = 'thief@example.com'

/** A verified user, and an access token of theirs that a thief has. */
async function victim(env = {}) {
  const app = await createTestApp(env)
  const { id } = await registerVerified(app)
  return { app, id, token: await logIn(app) }
}

/** Changes the address and confirms the new one, as a thief with the access token does. */
async function takeOver(app: TestApp, token: string, email = stolen) {
  await putMe(app, token, { email })
  await verify(app, await mailedToken(app, 'verification', email))
}

const registerWith = (app: TestApp, email: string) =>
  post(app, 'register', { username: 'bob', email, password })

/** When no change of the address can be undone any more. */
async function afterAWeek(app: TestApp) {
  app.clock.advance(7 * 24 * 60 * 60 + 60)
  await cleanUp(app)
}

// The owner of a mistyped address, or a thief of a token just after a login, could take over the account.
describe('until a new address is verified', () => {
  test('a password reset goes to the last verified one only', async () => {
    const { app, id, token } = await victim()
    await putMe(app, token, { email: stolen })
    await forgotPassword(app, stolen)
    for (const email of [owned, stolen]) expect(await mailedTokens(app, 'reset', email)).toEqual([])
    expect((await resetPassword(app, await requestReset(app))).statusCode).toBe(200)
    expect((await mailsTo(app)).at(-1)?.template).toBe('password_changed')
    // The new address has not proved anything.
    expect(await readUser(app, id)).toMatchObject({ email: stolen, isVerified: false })
  })

  test('also after a second change', async () => {
    const { app, token } = await victim()
    await putMe(app, token, { email: stolen })
    await putMe(app, token, { email: 'thief2@example.com' })
    for (const email of [stolen, 'thief2@example.com']) await forgotPassword(app, email)
    expect(await mailedTokens(app, 'reset', 'thief2@example.com')).toEqual([])
    expect((await resetPassword(app, await requestReset(app))).statusCode).toBe(200)
  })

  test('the last verified one is reserved, and is no login name', async () => {
    const { app, token } = await victim()
    await register(app, 'carol')
    await putMe(app, token, { email: stolen })
    expectProblem(await registerWith(app, owned), 'already_registered')
    expectProblem(await putMe(app, await logIn(app, 'carol'), { email: owned }), 'already_registered')
    expectProblem(await tryLogIn(app, owned, password), 'invalid_credentials')
    await afterAWeek(app)
    expectProblem(await registerWith(app, owned), 'already_registered')
  })
})

test('a verified address gets password resets, and the one before it no longer', async () => {
  const { app, token } = await victim()
  await takeOver(app, token)
  await forgotPassword(app)
  expect(await mailedTokens(app, 'reset')).toEqual([])
  expect((await resetPassword(app, await requestReset(app, stolen))).statusCode).toBe(200)
})

test('a user who never verified an address resets by the current one, which verifies it', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  await putMe(app, await logIn(app), { email: 'right@example.com' })
  await resetPassword(app, await requestReset(app, 'right@example.com'))
  expect(await readUser(app, id)).toMatchObject({ email: 'right@example.com', isVerified: true })
})

describe('a thief who has verified their address', () => {
  test('loses it to the owner of the last one, with sessions and mailed tokens', async () => {
    const { app, id, token } = await victim()
    const undo = async () => undoEmailChange(app, await mailedToken(app, 'undo'))
    await takeOver(app, token)
    const first = await requestReset(app, stolen)
    await resetPassword(app, first, newPassword)
    const { refreshToken } = await startSession(app, 'alice', newPassword)
    app.clock.advance(60)
    const second = await requestReset(app, stolen)
    expect((await undo()).statusCode).toBe(200)
    expect(await readUser(app, id)).toMatchObject({ email: owned, isVerified: true })
    expectProblem(await post(app, 'refresh', { refresh_token: refreshToken }), 'invalid_refresh_token')
    expectProblem(await resetPassword(app, second), 'invalid_or_expired_token')
    app.clock.advance(60)
    expect((await resetPassword(app, await requestReset(app))).statusCode).toBe(200)
  })

  test('cannot undo the undoing', async () => {
    const { app, id, token } = await victim()
    await takeOver(app, token)
    await putMe(app, token, { email: 'thief2@example.com' })
    await undoEmailChange(app, await mailedToken(app, 'undo'))
    const theirs = await mailedToken(app, 'undo', stolen)
    expectProblem(await undoEmailChange(app, theirs), 'invalid_or_expired_token')
    expect((await readUser(app, id)).email).toBe(owned)
  })

  test('cannot void the token by undoing a change of their own', async () => {
    const { app, id, token } = await victim()
    await takeOver(app, token)
    await putMe(app, token, { email: 'thief2@example.com' })
    await undoEmailChange(app, await mailedToken(app, 'undo', stolen))
    expect((await readUser(app, id)).email).toBe(stolen)
    expect((await undoEmailChange(app, await mailedToken(app, 'undo'))).statusCode).toBe(200)
    expect((await readUser(app, id)).email).toBe(owned)
  })

  test('cannot block the way back with a second account', async () => {
    const { app, token } = await victim()
    await register(app, 'carol')
    await takeOver(app, token)
    expectProblem(await registerWith(app, owned), 'already_registered')
    expectProblem(await putMe(app, await logIn(app, 'carol'), { email: owned }), 'already_registered')
    await afterAWeek(app)
    expect((await registerWith(app, owned)).statusCode).toBe(201)
  })
})
