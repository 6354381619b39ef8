import { describe, expect, test } from 'vitest'
import { refreshTokens } from '../../src/db/schema/refresh-tokens.ts'
import { bearer, getMe, password, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { refresh, startSession, tokensIn } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'

interface Device {
  id: number
  device_name: string | null
  is_current: boolean
}

const devicesOf = async (app: TestApp, accessToken: string): Promise<Device[]> => {
  const response = await app.inject({ url: '/api/v1/auth/devices', headers: bearer(accessToken) })
  return response.json().devices
}

const endDevice = (app: TestApp, accessToken: string, id: number | string) =>
  app.inject({ method: 'DELETE', url: `/api/v1/auth/devices/${id}`, headers: bearer(accessToken) })

const logInWith = async (app: TestApp, device: object, userAgent = 'Test/1.0', remoteAddress = '192.0.2.7') =>
  tokensIn(
    await app.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      remoteAddress,
      headers: { 'user-agent': userAgent },
      body: { username: 'alice', password, ...device },
    }),
  )

async function registered() {
  const app = await createTestApp()
  await register(app)
  return app
}

describe('the list', () => {
  test('shows the device as sent at login', async () => {
    const app = await registered()
    const { accessToken } = await logInWith(app, { device_name: "Alice's phone", device_type: 'mobile' })
    const now = app.clock.now()
    expect(await devicesOf(app, accessToken)).toEqual([
      {
        id: 1,
        device_name: "Alice's phone",
        device_type: 'mobile',
        ip_address: '192.0.2.7',
        user_agent: 'Test/1.0',
        created_at: new Date(now).toISOString(),
        last_used_at: null,
        expires_at: new Date(now + 86_400_000).toISOString(),
        is_current: true,
      },
    ])
  })

  test('shows when a session was last used and when it expires', async () => {
    const app = await registered()
    const { refreshToken } = await startSession(app)
    app.clock.advance(3600)
    const { accessToken } = tokensIn(await refresh(app, refreshToken))
    expect(await devicesOf(app, accessToken)).toMatchObject([
      {
        id: 1,
        last_used_at: new Date(app.clock.now()).toISOString(),
        expires_at: new Date(app.clock.now() + 86_400_000).toISOString(),
      },
    ])
  })

  test('shows a session of an unknown device', async () => {
    const app = await registered()
    const { accessToken } = await startSession(app)
    await app.db.transaction(async (tx) => {
      await tx.update(refreshTokens).set({ ipAddress: null, userAgent: null })
    })
    expect(await devicesOf(app, accessToken)).toMatchObject([
      { id: 1, device_name: null, device_type: null, ip_address: null, user_agent: null, last_used_at: null },
    ])
  })

  test('contains only devices of the user, newest first, and marks the current one', async () => {
    const app = await registered()
    await register(app, 'bob')
    await logInWith(app, { device_name: 'first' })
    const { accessToken } = await logInWith(app, { device_name: 'second' })
    await startSession(app, 'bob')
    await logInWith(app, { device_name: 'third' })
    const devices = await devicesOf(app, accessToken)
    expect(devices.map(({ device_name, is_current }) => [device_name, is_current])).toEqual([
      ['third', false],
      ['second', true],
      ['first', false],
    ])
  })

  test('omits ended sessions', async () => {
    const app = await registered()
    const { refreshToken } = await startSession(app)
    app.clock.advance(86_399)
    await startSession(app)
    app.clock.advance(1)
    expectProblem(await refresh(app, refreshToken), 'invalid_refresh_token')
    const { accessToken } = await startSession(app)
    expect((await devicesOf(app, accessToken)).map(({ id }) => id)).toEqual([3, 2])
  })

  test('contains no token', async () => {
    const app = await registered()
    const { accessToken, refreshToken } = await startSession(app)
    const response = await app.inject({ url: '/api/v1/auth/devices', headers: bearer(accessToken) })
    expect(response.body).not.toContain(refreshToken)
    expect(response.body).not.toMatch(/token/i)
  })

  test('needs an access token', async () => {
    const app = await registered()
    expectProblem(await app.inject({ url: '/api/v1/auth/devices' }), 'not_authenticated')
  })
})

describe('a device at login', () => {
  test('is optional', async () => {
    const app = await registered()
    const { accessToken } = await startSession(app)
    expect(await devicesOf(app, accessToken)).toMatchObject([{ device_name: null, device_type: null }])
  })

  test('has a name and a type of at most 100 characters', async () => {
    const app = await registered()
    const send = (device: object) =>
      app.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        body: { username: 'alice', password, ...device },
      })
    expect((await send({ device_name: 'a'.repeat(100) })).statusCode).toBe(200)
    for (const device of [
      { device_name: 'a'.repeat(101) },
      { device_type: 'a'.repeat(101) },
      { device_name: 1 },
      { device_type: 'a\nb' },
    ])
      expectProblem(await send(device), 'validation_failed')
  })

  test('stores at most 512 characters of the user agent', async () => {
    const app = await registered()
    const { accessToken } = await logInWith(app, {}, 'a'.repeat(2000))
    expect(await devicesOf(app, accessToken)).toMatchObject([{ user_agent: 'a'.repeat(512) }])
  })

  test.each([
    ['UTF-8', 'Ünïcode/1.0 (日本; 😀)', 'Ünïcode/1.0 (日本; 😀)'],
    [
      'UTF-8 beyond 512 characters, without half of one',
      `a${'😀'.repeat(300)}`,
      `a${'😀'.repeat(255)}\u{fffd}`,
    ],
    ['control characters', 'a\tb\u0085c', 'a\u{fffd}b\u{fffd}c'],
    [
      'text that turns its direction',
      'a\u202eb\u2066c\u200bd\u2028e',
      'a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e',
    ],
  ])('shows a user agent of %s', async (_, sent, user_agent) => {
    const app = await registered()
    // As Node passes the bytes of a header.
    const { accessToken } = await logInWith(app, {}, Buffer.from(sent).toString('latin1'))
    expect(await devicesOf(app, accessToken)).toMatchObject([{ user_agent }])
  })

  test('shows a user agent of Latin 1', async () => {
    const app = await registered()
    const { accessToken } = await logInWith(app, {}, 'Ünïcode')
    expect(await devicesOf(app, accessToken)).toMatchObject([{ user_agent: 'Ünïcode' }])
  })
})

describe('ending a device', () => {
  test('logs out only that device', async () => {
    const app = await registered()
    const lost = await startSession(app)
    const { accessToken } = await startSession(app)
    expect((await endDevice(app, accessToken, 1)).statusCode).toBe(204)
    expectProblem(await getMe(app, lost.accessToken), 'invalid_token')
    expectProblem(await refresh(app, lost.refreshToken), 'invalid_refresh_token')
    expect((await devicesOf(app, accessToken)).map(({ id }) => id)).toEqual([2])
  })

  test('works for the current device', async () => {
    const app = await registered()
    const { accessToken } = await startSession(app)
    expect((await endDevice(app, accessToken, 1)).statusCode).toBe(204)
    expectProblem(await getMe(app, accessToken), 'invalid_token')
  })

  test('of another user returns 404 and ends nothing', async () => {
    const app = await registered()
    await register(app, 'bob')
    const bob = await startSession(app, 'bob')
    const { accessToken } = await startSession(app)
    const answers = [await endDevice(app, accessToken, 1), await endDevice(app, accessToken, 4711)]
    for (const answer of answers) expectProblem(answer, 'not_found')
    expect((await getMe(app, bob.accessToken)).statusCode).toBe(200)
  })

  test('that has already ended returns 404', async () => {
    const app = await registered()
    await startSession(app)
    const { accessToken } = await startSession(app)
    await endDevice(app, accessToken, 1)
    expectProblem(await endDevice(app, accessToken, 1), 'not_found')
  })

  test('refuses an invalid id', async () => {
    const app = await registered()
    const { accessToken } = await startSession(app)
    for (const id of ['0', '-1', '01', '1.0', '1e0', 'all', '%31%20', '9'.repeat(16)])
      expectProblem(await endDevice(app, accessToken, id), 'validation_failed')
    expect((await getMe(app, accessToken)).statusCode).toBe(200)
  })
})

describe('a refresh', () => {
  const refreshFrom = (app: TestApp, refreshToken: string, userAgent: string, remoteAddress: string) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      remoteAddress,
      headers: { 'user-agent': userAgent },
      body: { refresh_token: refreshToken },
    })

  test('updates the address and the user agent of the device', async () => {
    const app = await registered()
    const { refreshToken } = await logInWith(app, { device_name: 'Phone' })
    const tokens = tokensIn(await refreshFrom(app, refreshToken, 'Other/2.0', '2001:db8::1'))
    expect(await devicesOf(app, tokens.accessToken)).toMatchObject([
      { device_name: 'Phone', ip_address: '2001:db8::1', user_agent: 'Other/2.0' },
    ])
  })

  test('stores at most 512 characters of a user agent', async () => {
    const app = await registered()
    const { refreshToken } = await logInWith(app, {})
    const tokens = tokensIn(await refreshFrom(app, refreshToken, 'x'.repeat(2_000), '192.0.2.8'))
    expect(await devicesOf(app, tokens.accessToken)).toMatchObject([{ user_agent: 'x'.repeat(512) }])
  })

  test('that is refused changes nothing', async () => {
    const app = await registered()
    const { accessToken } = await logInWith(app, {})
    await refreshFrom(app, 'made-up', 'Thief/1.0', '198.51.100.1')
    expect(await devicesOf(app, accessToken)).toMatchObject([
      { ip_address: '192.0.2.7', user_agent: 'Test/1.0' },
    ])
  })
})

describe('ending all other devices', () => {
  const endOthers = (app: TestApp, accessToken?: string) =>
    app.inject({
      method: 'DELETE',
      url: '/api/v1/auth/devices',
      headers: accessToken === undefined ? {} : bearer(accessToken),
    })

  test('leaves the session of the caller, and those of other users', async () => {
    const app = await registered()
    await register(app, 'bob')
    const bob = await startSession(app, 'bob')
    const [other, own] = [await startSession(app), await startSession(app)]
    expect((await endOthers(app, own.accessToken)).statusCode).toBe(204)
    expect(await devicesOf(app, own.accessToken)).toMatchObject([{ is_current: true }])
    expectProblem(await getMe(app, other.accessToken), 'invalid_token')
    expectProblem(await refresh(app, other.refreshToken), 'invalid_refresh_token')
    expect((await refresh(app, own.refreshToken)).statusCode).toBe(200)
    expect((await getMe(app, bob.accessToken)).statusCode).toBe(200)
  })

  test('needs a live session', async () => {
    const app = await registered()
    const [other, own] = [await startSession(app), await startSession(app)]
    expectProblem(await endOthers(app), 'not_authenticated')
    await endOthers(app, own.accessToken)
    expectProblem(await endOthers(app, other.accessToken), 'invalid_token')
    expect((await getMe(app, own.accessToken)).statusCode).toBe(200)
  })

  test('of two devices that do it at the same moment, one stays logged in', async () => {
    const app = await registered()
    const [one, two] = [await startSession(app), await startSession(app)]
    const answers = await Promise.all([endOthers(app, one.accessToken), endOthers(app, two.accessToken)])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 401])
    const callers = [await getMe(app, one.accessToken), await getMe(app, two.accessToken)]
    expect(callers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401])
  })
})
