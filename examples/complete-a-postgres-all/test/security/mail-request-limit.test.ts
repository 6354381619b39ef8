import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const send = (app: TestApp, path: string, number: number, remoteAddress = '192.0.2.1') =>
  app.inject({
    method: 'POST',
    url: `/api/v1/auth/${path}`,
    remoteAddress,
    body: { email: `user${number}@example.com` },
  })

// Each request costs a write, and one client could mail every user.
test('requests for mails of both kinds share a limit of 20 per client address and minute', async () => {
  const app = await createTestApp()
  for (let number = 0; number < 10; number += 1) {
    expect((await send(app, 'forgot-password', number)).statusCode).toBe(202)
    expect((await send(app, 'resend-verification', number)).statusCode).toBe(202)
  }
  for (const path of ['forgot-password', 'resend-verification']) {
    const response = await send(app, path, 20)
    expectProblem(response, 'too_many_requests')
    expect(response.headers['retry-after']).toBe('60')
    expect((await send(app, path, 20, '192.0.2.2')).statusCode).toBe(202)
  }
  app.clock.advance(60)
  expect((await send(app, 'forgot-password', 20)).statusCode).toBe(202)
})

test('RATE_LIMIT_ENABLED=false turns the limit off', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAIL_REQUESTS: '1', RATE_LIMIT_ENABLED: 'false' })
  for (let number = 0; number < 3; number += 1)
    expect((await send(app, 'forgot-password', number)).statusCode).toBe(202)
})
