import { expect, test } from 'vitest'
import { bearer, getMe, logIn, password, putMe, readUser } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import {
  newPassword,
  post,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  tokensIn,
} from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'

const email = 'thief@example.com'

/** A session of a thief that has asked for another address, and one of the owner. */
async function asked() {
  const app = await createTestApp()
  const { id } = await registerVerified(app)
  const thief = await startSession(app)
  await putMe(app, thief.accessToken, { email })
  const pending = async () => (await readUser(app, id)).pendingEmail
  return { app, thief, owner: await logIn(app), pending }
}

const endDevices = (app: TestApp, token: string, id = '') =>
  app.inject({ method: 'DELETE', url: `/api/v1/auth/devices${id}`, headers: bearer(token) })

// The owner locks a thief out, and the address that the thief asked for must not be confirmed afterwards.
test.each<[string, (app: TestApp, token: string) => Promise<unknown>]>([
  ['logging out everywhere', (app, token) => post(app, 'logout-all', undefined, token)],
  [
    'a new password',
    (app, token) =>
      post(app, 'change-password', { current_password: password, new_password: newPassword }, token),
  ],
  ['the end of all other devices', (app, token) => endDevices(app, token)],
  ['the end of the device that asked', (app, token) => endDevices(app, token, '/1')],
])('%s cancels the request', async (_name, lockOut) => {
  const { app, owner, pending } = await asked()
  expect(await pending()).toBe(email)
  await lockOut(app, owner)
  expect(await pending()).toBe(null)
})

// Who read the mailbox for a minute must not come back with a token that they asked for.
test.each([
  ['logging out everywhere', (app: TestApp, token: string) => post(app, 'logout-all', undefined, token), 400],
  ['the end of all other devices', endDevices, 400],
  ['the end of one device', (app: TestApp, token: string) => endDevices(app, token, '/1'), 200],
])('%s and a token of a reset', async (_name, end, status) => {
  const { app, owner } = await asked()
  const token = await requestReset(app)
  await end(app, owner)
  expect((await resetPassword(app, token)).statusCode).toBe(status)
})

test('the end of another device, and the own logout, cancel nothing', async () => {
  const { app, thief, owner, pending } = await asked()
  await startSession(app)
  await endDevices(app, owner, '/3')
  await post(app, 'logout', {}, thief.accessToken)
  expectProblem(await getMe(app, thief.accessToken), 'invalid_token')
  expect(await pending()).toBe(email)
})

// Otherwise a stolen session and a guessed password would make a recent login, which more than an address depends on.
test('the session of a new password keeps the time of the login', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  app.clock.advance(9 * 60)
  const body = { current_password: password, new_password: newPassword }
  const changed = tokensIn(await post(app, 'change-password', body, accessToken))
  app.clock.advance(60)
  expect((await putMe(app, changed.accessToken, { email })).statusCode).toBe(200)
  app.clock.advance(1)
  expectProblem(
    await putMe(app, changed.accessToken, { email: 'other@example.com' }),
    'reauthentication_required',
  )
})
