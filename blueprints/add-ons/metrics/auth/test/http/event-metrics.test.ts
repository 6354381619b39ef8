import { expect, test } from 'vitest'
import { password, register, tryLogIn } from '../support/accounts.ts'
import { createMetricsApp } from '../support/metrics.ts'

test('logins, failures and refused requests are counted, each of them', async () => {
  const { app, address } = await createMetricsApp({ RATE_LIMIT_AUTH_REQUESTS: '5' })
  const url = await address()
  const logIn = (given = password) => tryLogIn(app, 'alice', given, '127.0.0.1')
  await register(app)
  await logIn()
  await logIn('Wrong-Horse-7')
  // Two are beyond the limit. The log has one line for both.
  for (let time = 0; time < 4; time += 1) await logIn()

  const metrics = await (await fetch(url)).text()
  expect(metrics).toMatch(/^auth_events_total\{event="login.succeeded"\} 3$/m)
  expect(metrics).toMatch(/^auth_events_total\{event="login.failed"\} 1$/m)
  expect(metrics).toMatch(/^auth_events_total\{event="limit.reached",limit="auth-requests"\} 2$/m)
})
