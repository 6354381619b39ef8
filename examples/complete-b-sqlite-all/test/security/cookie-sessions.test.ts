import { expect, test } from 'vitest'
import { password } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { browse, cookieIn, logInForCookie } from '../support/cookies.ts'
import { newPassword, registerVerified } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'

async function withCookie() {
  const app = await createTestApp()
  await registerVerified(app)
  return { app, cookie: cookieIn(await logInForCookie(app)) }
}

test('a new password is answered with a new cookie, never with tokens', async () => {
  const { app, cookie } = await withCookie()
  const body = { current_password: password, new_password: newPassword }
  const response = await browse(app, { method: 'POST', url: 'auth/change-password', cookie, body })
  expect(response.body).toBe('')
  const next = cookieIn(response)
  expect((await browse(app, { url: 'users/me', cookie: next })).statusCode).toBe(200)
  expectProblem(await browse(app, { url: 'users/me', cookie }), 'invalid_token')
})

test('its session is one of the devices, and ends with them', async () => {
  const { app, cookie } = await withCookie()
  const other = cookieIn(await logInForCookie(app))
  app.clock.advance(60)
  const { devices } = (await browse(app, { url: 'auth/devices', cookie })).json()
  expect(devices).toHaveLength(2)
  expect(devices.filter((each: { is_current: boolean }) => each.is_current)).toMatchObject([
    { last_used_at: new Date(app.now()).toISOString() },
  ])
  expect((await browse(app, { method: 'DELETE', url: 'auth/devices', cookie })).statusCode).toBe(204)
  expectProblem(await browse(app, { url: 'users/me', cookie: other }), 'invalid_token')
})
