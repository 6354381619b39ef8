import { expect, test } from 'vitest'
import { getMe, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { runCommand } from '../support/commands.ts'
import {
  forgotPassword,
  newPassword,
  post,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
} from '../support/flows.ts'
import { addFactor, pendingIn, registerWithFactor } from '../support/made-up-factor.ts'
import { emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const daySeconds = 24 * 60 * 60

const undo = (app: TestApp, token: string) => post(app, 'undo-additions', { token })

async function withFactor() {
  const app = await createTestApp()
  const owners = addFactor()
  return { app, owners, user: await registerWithFactor(app, owners) }
}

/** Resets the password. @returns the token of the reset */
async function reset(app: TestApp, email?: string) {
  const token = await requestReset(app, email)
  expect((await resetPassword(app, token)).statusCode).toBe(200)
  return token
}

// Whoever reads the mailbox for ten minutes adds a factor, and a reset alone keeps it: the owner would be out for good.
test('the token of a reset removes what was added in the 7 days before its email, and ends all sessions', async () => {
  const { app, owners } = await withFactor()
  app.clock.advance(7 * daySeconds - 60)
  const token = await reset(app)
  pendingIn(await tryLogIn(app, 'alice', newPassword))
  expect((await undo(app, token)).json()).toEqual({ removed: ['made_up'] })
  expect(owners.size).toBe(0)
  expect((await emailsTo(app)).at(-1)?.template).toBe('factor_removed')
  expect((await tryLogIn(app, 'alice', newPassword)).statusCode).toBe(200)
  expectProblem(await undo(app, token), 'invalid_or_expired_token')
})

test('it ends the sessions that came after the reset', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const token = await reset(app)
  const { accessToken } = await startSession(app, 'alice', newPassword)
  expect((await undo(app, token)).json()).toEqual({ removed: [] })
  expectProblem(await getMe(app, accessToken), 'invalid_token')
})

test('it keeps what is older: from its 8th day on, a factor protects from whoever reads the mailbox', async () => {
  const { app, owners } = await withFactor()
  app.clock.advance(7 * daySeconds + 1)
  expect((await undo(app, await reset(app))).json()).toEqual({ removed: [] })
  expect(owners.size).toBe(1)
})

test('before the reset, and after its 30 minutes, the token removes nothing', async () => {
  const { app, owners } = await withFactor()
  const token = await requestReset(app)
  expectProblem(await undo(app, token), 'invalid_or_expired_token')
  await resetPassword(app, token)
  app.clock.advance(30 * 60)
  expectProblem(await undo(app, token), 'invalid_or_expired_token')
  expect(owners.size).toBe(1)
})

test('the end of all sessions does not take it from the owner', async () => {
  const { app, owners } = await withFactor()
  const token = await reset(app)
  await runCommand(app, 'end-sessions', 'alice')
  expect((await undo(app, token)).statusCode).toBe(200)
  expect(owners.size).toBe(0)
})

test('it is void after a change of the address to which it was sent, and for an inactive user', async () => {
  const app = await createTestApp()
  const owners = addFactor()
  const { id } = await registerVerified(app)
  const token = await reset(app)
  const { accessToken } = await startSession(app, 'alice', newPassword)
  await changeEmail(app, accessToken, 'moved@example.com')
  owners.set(id, new Date(app.now()))
  expectProblem(await undo(app, token), 'invalid_or_expired_token')
  const next = await reset(app, 'moved@example.com')
  await runCommand(app, 'deactivate', 'alice')
  expectProblem(await undo(app, next), 'invalid_or_expired_token')
  expect(owners.size).toBe(1)
})

test('the email of a reset names what was added in the last 7 days, and only that', async () => {
  const { app } = await withFactor()
  await forgotPassword(app)
  const [email] = (await emailsTo(app)).slice(-1)
  expect(email?.variables.additions).toBe('a made-up factor')
  app.clock.advance(7 * daySeconds + 1)
  await forgotPassword(app)
  expect((await emailsTo(app)).at(-1)?.variables).not.toHaveProperty('additions')
})

// Otherwise an address would get twice as many resets as an address of a user without factors.
test('an email of a reset that names what was added counts as a reset', async () => {
  const { app } = await withFactor()
  app.clock.advance(7 * daySeconds - 150)
  for (let time = 0; time < 6; time += 1) {
    await forgotPassword(app)
    app.clock.advance(60)
  }
  const resets = (await emailsTo(app)).filter(({ variables }) => variables.reset_url !== undefined)
  expect(resets.map(({ variables }) => 'additions' in variables)).toEqual([true, true, true, false, false])
})

test('tokens are not guessed: ten wrong ones a minute', async () => {
  const { app } = await withFactor()
  const token = await reset(app)
  for (let time = 0; time < 10; time += 1)
    expectProblem(await undo(app, 'AAAA-BBBB'), 'invalid_or_expired_token')
  expectProblem(await undo(app, token), 'too_many_requests')
})
