import { expect, test } from 'vitest'
import { bearer, changeUser, getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { basic, check, introspect, introspectionClient } from '../support/gateway.ts'

// Their session is from before the setting, or before the address was changed by a command.
test('with LOGIN_REQUIRES_VERIFIED_EMAIL, other services let no unverified user in', async () => {
  const { secret, setting } = await introspectionClient(await createTestApp())
  const env = { LOGIN_REQUIRES_VERIFIED_EMAIL: 'true', INTROSPECTION_CLIENTS: setting }
  const app = await createTestApp(env)
  const { id } = await register(app)
  await changeUser(app, id, { isVerified: true })
  const token = await logIn(app)
  const answers = async () => {
    const info = await introspect(app, { token }, basic('orders', secret))
    return [(await check(app, bearer(token))).statusCode, info.json().active]
  }
  expect(await answers()).toEqual([204, true])
  await changeUser(app, id, { isVerified: false })
  expect(await answers()).toEqual([401, false])
  expect((await getMe(app, token)).statusCode).toBe(200)
})
