import { describe, expect, test } from 'vitest'
import { logIn, password, putMe, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { runCommand } from '../support/commands.ts'
import {
  forgotPassword,
  newPassword,
  post,
  refresh,
  registerVerified,
  requestReset,
  resendVerification,
  resetPassword,
  runCleanUp,
  startSession,
  tokensIn,
  undoEmailChange,
  verify,
} from '../support/flows.ts'
import { emailedToken, emailedTokens, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const owned = 'alice@example.com'
const stolen = 'thief@example.com'
const day = 24 * 60 * 60

/** A verified user, and an access token of theirs that a thief has. */
async function victim(env = {}) {
  const app = await createTestApp(env)
  const { id } = await registerVerified(app)
  return { app, id, token: await logIn(app) }
}

const registerWith = (app: TestApp, email: string, username = 'bob') =>
  post(app, 'register', { username, email, password })

/** Whatever the thief tries with an address that they asked for, the account stays with its owner. */
async function expectNoWayIn(app: TestApp, id: number, token: string) {
  const confirmation = await emailedTokens(app, 'confirm', stolen)
  app.clock.advance(61)
  await resendVerification(app, stolen)
  await forgotPassword(app, stolen)
  expect(await emailedTokens(app, 'verification', stolen)).toEqual([])
  expect(await emailedTokens(app, 'reset', stolen)).toEqual([])
  for (const text of [...confirmation, token])
    expect((await verify(app, text, token)).statusCode).toBeGreaterThanOrEqual(400)
  expect(await readUser(app, id)).toMatchObject({ email: owned, isVerified: true })
}

// A thief with a new token asks for an address of theirs, and confirms it after the owner has recovered the account.
describe('a request of a thief ends with', () => {
  const recoveries: [name: string, recover: (app: TestApp) => Promise<unknown>][] = [
    ['a password reset', async (app) => resetPassword(app, await requestReset(app))],
    ['the command end-sessions', (app) => runCommand(app, 'end-sessions', 'alice')],
    [
      'a deactivation',
      async (app) => {
        for (const command of ['deactivate', 'activate']) await runCommand(app, command, 'alice')
      },
    ],
    ['the command set-email', (app) => runCommand(app, 'set-email', 'alice', owned)],
    [
      'the link of an operator',
      async (app) => {
        const [link = ''] = (await runCommand(app, 'reset-link', 'alice')).split('\n')
        return resetPassword(app, new URL(link).hash.replace('#token=', ''))
      },
    ],
  ]
  test.each(recoveries)('%s', async (_name, recover) => {
    const { app, id, token } = await victim()
    expect((await putMe(app, token, { email: stolen })).statusCode).toBe(200)
    const confirmation = await emailedToken(app, 'confirm', stolen)
    await recover(app)
    expectProblem(await verify(app, confirmation, token), 'invalid_or_expired_token')
    // Not even with a session of the owner: the token is void.
    const known = (await tryLogIn(app, 'alice', newPassword)).json().access_token
    if (known) expectProblem(await verify(app, confirmation, known), 'invalid_or_expired_token')
    await expectNoWayIn(app, id, token)
  })
})

test('a stranger who reads the new mailbox neither joins the account nor hands it over', async () => {
  const { app, id, token } = await victim()
  await putMe(app, token, { email: stolen })
  const confirmation = await emailedToken(app, 'confirm', stolen)
  expectProblem(await verify(app, confirmation), 'not_authenticated')
  await register(app, 'mallory')
  expectProblem(await verify(app, confirmation, await logIn(app, 'mallory')), 'invalid_or_expired_token')
  expect((await readUser(app, id)).email).toBe(owned)
})

test('a request does not outlive its hour, so nothing is changed after the owner has stopped to look', async () => {
  const { app, id, token } = await victim()
  await putMe(app, token, { email: stolen })
  const confirmation = await emailedToken(app, 'confirm', stolen)
  app.clock.advance(8 * day)
  expectProblem(await verify(app, confirmation, await logIn(app)), 'invalid_or_expired_token')
  expect((await readUser(app, id)).email).toBe(owned)
})

test('a parked address stays free, and its owner uses it', async () => {
  const app = await createTestApp()
  await registerVerified(app, 'mallory')
  const thief = await logIn(app, 'mallory')
  await putMe(app, thief, { email: owned })
  const { statusCode } = await registerWith(app, owned, 'alice')
  expect(statusCode).toBe(201)
  await verify(app, await emailedToken(app, 'verification'))
  expect(await emailedTokens(app, 'undo', 'mallory@example.com')).toEqual([])
  expectProblem(await verify(app, await emailedToken(app, 'confirm'), thief), 'invalid_or_expired_token')
})

test('a user who never verified is reset by the registered address only', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  await putMe(app, await logIn(app), { email: 'new@example.com' })
  await forgotPassword(app, 'new@example.com')
  expect(await emailedTokens(app, 'reset', 'new@example.com')).toEqual([])
  await resetPassword(app, await requestReset(app))
  expect(await readUser(app, id)).toMatchObject({ email: owned, isVerified: true, pendingEmail: null })
})

test('after a typing mistake at the registration, the stranger cannot undo the correction', async () => {
  const app = await createTestApp()
  await register(app)
  await changeEmail(app, await logIn(app), 'new@example.com')
  expect(await emailedTokens(app, 'undo')).toEqual([])
  expect((await registerWith(app, owned)).statusCode).toBe(201)
})

describe('a thief who has confirmed their address', () => {
  test('loses it to the undo, with sessions, tokens and the password that they have set', async () => {
    const { app, id, token } = await victim()
    await changeEmail(app, token, stolen)
    await resetPassword(app, await requestReset(app, stolen))
    const { refreshToken } = await startSession(app, 'alice', newPassword)
    app.clock.advance(61)
    const reset = await requestReset(app, stolen)
    expect((await undoEmailChange(app, await emailedToken(app, 'undo'))).statusCode).toBe(200)
    expectProblem(await post(app, 'refresh', { refresh_token: refreshToken }), 'invalid_refresh_token')
    expectProblem(await resetPassword(app, reset), 'invalid_or_expired_token')
    expectProblem(await tryLogIn(app, 'alice', newPassword), 'invalid_credentials')
    expect((await resetPassword(app, await emailedToken(app, 'restored'), 'Owner-Horse-9')).statusCode).toBe(
      200,
    )
    expect(await readUser(app, id)).toMatchObject({ email: owned, isVerified: true })
  })

  test('cannot undo the undoing', async () => {
    const { app, id, token } = await victim()
    await changeEmail(app, token, stolen)
    await changeEmail(app, token, 'thief2@example.com')
    await undoEmailChange(app, await emailedToken(app, 'undo'))
    expectProblem(
      await undoEmailChange(app, await emailedToken(app, 'undo', stolen)),
      'invalid_or_expired_token',
    )
    expect((await readUser(app, id)).email).toBe(owned)
  })

  test('cannot void the way back by an undo of their own change', async () => {
    const { app, id, token } = await victim()
    await changeEmail(app, token, stolen)
    await changeEmail(app, token, 'thief2@example.com')
    await undoEmailChange(app, await emailedToken(app, 'undo', stolen))
    expect((await readUser(app, id)).email).toBe(stolen)
    expect((await undoEmailChange(app, await emailedToken(app, 'undo'))).statusCode).toBe(200)
    expect((await readUser(app, id)).email).toBe(owned)
  })

  test('cannot end it by a reset, a new password, sessions or a deactivation', async () => {
    const { app, id, token } = await victim()
    await changeEmail(app, token, stolen)
    await resetPassword(app, await requestReset(app, stolen))
    for (const command of ['end-sessions', 'deactivate', 'activate']) await runCommand(app, command, 'alice')
    expect((await undoEmailChange(app, await emailedToken(app, 'undo'))).statusCode).toBe(200)
    expect((await readUser(app, id)).email).toBe(owned)
  })

  test('gets no undo token when the owner changes back', async () => {
    const { app, id, token } = await victim()
    await changeEmail(app, token, stolen)
    await changeEmail(app, await logIn(app), owned)
    expect(await emailedTokens(app, 'undo', stolen)).toEqual([])
    expect((await readUser(app, id)).email).toBe(owned)
  })

  // By the time of expiry: the clean-up may run late.
  test('cannot block the way back with a second account, until the token expires', async () => {
    const { app, token } = await victim()
    await register(app, 'carol')
    await changeEmail(app, token, stolen)
    expectProblem(await registerWith(app, owned), 'already_registered')
    expectProblem(await putMe(app, await logIn(app, 'carol'), { email: owned }), 'already_registered')
    await expect(runCommand(app, 'set-email', 'carol', owned)).rejects.toThrow('already registered')
    app.clock.advance(7 * day)
    expect((await registerWith(app, owned)).statusCode).toBe(201)
    await runCleanUp(app)
  })

  test('cannot use up the limit of the emails that lead back', async () => {
    const { app } = await victim({ RATE_LIMIT_MAILS: '1' })
    let current = password
    for (const number of [1, 2, 3]) {
      const { accessToken } = await startSession(app, 'alice', current)
      expect((await changeEmail(app, accessToken, `thief${number}@example.com`)).statusCode).toBe(200)
      expect((await undoEmailChange(app, await emailedToken(app, 'undo'))).statusCode).toBe(200)
      current = `Owner-Horse-${number}`
      const reset = await resetPassword(app, await emailedToken(app, 'restored'), current)
      expect(reset.statusCode).toBe(200)
    }
  })
})

test('the command set-email gives an account back after the week of the undo', async () => {
  const { app, id, token } = await victim()
  await changeEmail(app, token, stolen)
  app.clock.advance(8 * day)
  const thief = await startSession(app)
  await changeEmail(app, thief.accessToken, 'thief2@example.com')
  expect(await runCommand(app, 'set-email', 'alice', owned)).toContain(
    'alice has the address alice@example.com',
  )
  expect(await readUser(app, id)).toMatchObject({ email: owned, isVerified: true })
  expectProblem(await post(app, 'refresh', { refresh_token: thief.refreshToken }), 'invalid_refresh_token')
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
  expect((await resetPassword(app, await emailedToken(app, 'restored'))).statusCode).toBe(200)
  expect((await emailsTo(app, 'thief2@example.com')).at(-1)?.template).toBe('email_changed')
  const undo = await emailedToken(app, 'undo', stolen)
  expectProblem(await undoEmailChange(app, undo), 'invalid_or_expired_token')
})

/** A session that has asked for another address. */
async function asked() {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const { id } = await registerVerified(app)
  const session = await startSession(app)
  await putMe(app, session.accessToken, { email: stolen })
  return { app, session, pending: async () => (await readUser(app, id)).pendingEmail }
}

// A request must not outlive the session of the thief who made it.
test('the replay of a refresh token cancels the request of its session', async () => {
  const { app, session, pending } = await asked()
  const second = tokensIn(await refresh(app, session.refreshToken))
  await refresh(app, second.refreshToken)
  expect(await pending()).toBe(stolen)
  await refresh(app, session.refreshToken)
  expect(await pending()).toBe(null)
})

test('the login that ends the oldest session cancels its request', async () => {
  const { app, pending } = await asked()
  for (let login = 0; login < 49; login += 1) await logIn(app)
  expect(await pending()).toBe(stolen)
  await logIn(app)
  expect(await pending()).toBe(null)
})

test('the end of another session does not cancel a request', async () => {
  const { app, pending } = await asked()
  const other = await startSession(app)
  const second = tokensIn(await refresh(app, other.refreshToken))
  await refresh(app, second.refreshToken)
  await refresh(app, other.refreshToken)
  expect(await pending()).toBe(stolen)
})
