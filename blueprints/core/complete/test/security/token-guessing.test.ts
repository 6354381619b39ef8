import { describe, expect, test, vi } from 'vitest'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { newPassword, post, refresh, startSession } from '../support/flows.ts'
import { emailedToken } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const send = (app: TestApp, path: string, body: object, remoteAddress = '192.0.2.1') =>
  app.inject({ method: 'POST', url: `/api/v1/auth/${path}`, remoteAddress, body })

const guess = (app: TestApp, path: string, address?: string, token = 'nonsense') =>
  send(app, path, { token, ...(path === 'reset-password' && { new_password: newPassword }) }, address)

const verify = (app: TestApp, token: string, address?: string) =>
  send(app, 'verify-email', { token }, address)

// Codes are short enough to type, so guesses must be limited.
describe('after 10 wrong tokens of one address in a minute', () => {
  test('even a valid one is refused, for a minute', async () => {
    const app = await createTestApp()
    await register(app)
    const token = await emailedToken(app, 'verification')
    for (let time = 0; time < 10; time += 1)
      expectProblem(await guess(app, 'verify-email'), 'invalid_or_expired_token')
    app.clock.advance(20)
    const response = await verify(app, token)
    expectProblem(response, 'too_many_requests')
    expect(response.headers['retry-after']).toBe('40')
    app.clock.advance(40)
    expect((await verify(app, token)).statusCode).toBe(200)
  })

  test('all kinds of tokens share the limit', async () => {
    const app = await createTestApp({ RATE_LIMIT_TOKEN_FAILURES: '6' })
    const paths = ['verify-email', 'reset-password', 'undo-email-change']
    for (const path of [...paths, ...paths]) expectProblem(await guess(app, path), 'invalid_or_expired_token')
    for (const path of paths) expectProblem(await guess(app, path), 'too_many_requests')
  })

  // A service may accept codes and links.
  test('codes and links share the limit', async () => {
    const app = await createTestApp()
    for (let time = 0; time < 5; time += 1) {
      await guess(app, 'verify-email', undefined, `AAAA-BBBB-CCCC-${1000 + time}`)
      await guess(app, 'verify-email', undefined, String(time).repeat(43))
    }
    for (const token of ['AAAA-BBBB-CCCC-DDDD', 'x'.repeat(43)])
      expectProblem(await guess(app, 'verify-email', undefined, token), 'too_many_requests')
  })

  test('other addresses are not limited', async () => {
    const app = await createTestApp()
    await register(app)
    for (let time = 0; time < 11; time += 1) await guess(app, 'verify-email')
    const token = await emailedToken(app, 'verification')
    expect((await verify(app, token, '192.0.2.2')).statusCode).toBe(200)
  })

  test('concurrent guesses do not bypass the limit', async () => {
    const app = await createTestApp()
    await register(app)
    const token = await emailedToken(app, 'verification')
    const guesses = Array.from({ length: 30 }, () => guess(app, 'verify-email'))
    const right = verify(app, token)
    const answers = await Promise.all(guesses)
    expect(answers.filter(({ statusCode }) => statusCode === 400)).toHaveLength(10)
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(20)
    expectProblem(await right, 'too_many_requests')
    app.clock.advance(60)
    expect((await verify(app, token)).statusCode).toBe(200)
  })
})

test('a made-up reset token costs no hash, which would keep a core from logins', async () => {
  const hash = vi.fn(async () => 'a hash')
  const app = await createTestApp({}, false, { hashing: { hash, verify: async () => false } })
  expectProblem(await guess(app, 'reset-password'), 'invalid_or_expired_token')
  expect(hash).not.toHaveBeenCalled()
})

test('valid tokens do not count', async () => {
  const app = await createTestApp()
  for (let user = 0; user < 15; user += 1) {
    await register(app, `user${user}`)
    const token = await emailedToken(app, 'verification', `user${user}@example.com`)
    expect((await verify(app, token)).statusCode).toBe(200)
  }
})

test('RATE_LIMIT_TOKEN_FAILURES sets the limit', async () => {
  const app = await createTestApp({ RATE_LIMIT_TOKEN_FAILURES: '2' })
  await guess(app, 'verify-email')
  await guess(app, 'verify-email')
  expectProblem(await guess(app, 'verify-email'), 'too_many_requests')
})

describe('wrong refresh tokens of one address', () => {
  test('are limited to 60 per minute, and valid ones are still accepted', async () => {
    const app = await createTestApp()
    await register(app)
    const { refreshToken } = await startSession(app)
    for (let time = 0; time < 60; time += 1)
      expectProblem(await refresh(app, 'nonsense'), 'invalid_refresh_token')
    const response = await refresh(app, 'nonsense')
    expectProblem(response, 'too_many_requests')
    expect(response.headers['retry-after']).toBe('60')
    expect((await refresh(app, refreshToken)).statusCode).toBe(200)
    app.clock.advance(60)
    expectProblem(await post(app, 'refresh', { refresh_token: 'nonsense' }), 'invalid_refresh_token')
  })

  test('are limited by RATE_LIMIT_REFRESH_FAILURES', async () => {
    const app = await createTestApp({ RATE_LIMIT_REFRESH_FAILURES: '1' })
    expectProblem(await refresh(app, 'nonsense'), 'invalid_refresh_token')
    expectProblem(await refresh(app, 'nonsense'), 'too_many_requests')
  })
})
