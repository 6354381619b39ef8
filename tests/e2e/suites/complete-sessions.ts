import { expect, test } from 'vitest'
import { type Answer, problem } from '../harness/client.ts'
import { decodeToken } from '../harness/token.ts'
import { PASSWORD } from './accounts.ts'
import {
  auth,
  type Complete,
  logIn,
  meStatus,
  NEW_PASSWORD,
  newSession,
  refresh,
  tokensIn,
} from './complete-context.ts'

const refused = problem(401, 'Invalid refresh token', 'invalid_refresh_token', auth('refresh'))

/** Refresh tokens: rotation, replay, end of a session. */
export function refreshSuite({ service }: Complete): void {
  function expectRefused(answer: Answer): void {
    expect(answer.body).toEqual(refused)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
  }

  test('each use returns a new refresh token and an access token of the same session', async () => {
    const first = await newSession(service(), 'rotating')
    const second = tokensIn(await refresh(service(), first.refresh))
    const third = tokensIn(await refresh(service(), second.refresh))
    expect(new Set([first.refresh, second.refresh, third.refresh]).size).toBe(3)
    const sessions = [first, second, third].map(({ access }) => decodeToken(access).payload.sid)
    expect(new Set(sessions).size).toBe(1)
    // Opaque, with at least 256 bits.
    for (const { refresh: token } of [first, second, third]) expect(token).toMatch(/^[\w-]{43,}$/)
    for (const { access } of [first, second, third]) expect(await meStatus(service(), access)).toBe(200)
  })

  test('a replay ends its session and no other', async () => {
    const first = await newSession(service(), 'replayed')
    const other = tokensIn(await logIn(service(), 'replayed'))
    const second = tokensIn(await refresh(service(), first.refresh))
    const third = tokensIn(await refresh(service(), second.refresh))
    expectRefused(await refresh(service(), first.refresh))
    expectRefused(await refresh(service(), third.refresh))
    expect(await meStatus(service(), third.access)).toBe(401)
    expect(await meStatus(service(), other.access)).toBe(200)
    expect((await refresh(service(), other.refresh)).status).toBe(200)
  })

  test('20 parallel uses get the same successor', async () => {
    const { refresh: token } = await newSession(service(), 'parallel')
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(service(), token)))
    const successors = new Set(answers.map((answer) => tokensIn(answer).refresh))
    expect(successors.size).toBe(1)
    const [successor = ''] = successors
    expect((await refresh(service(), successor)).status).toBe(200)
    // After the successor was used, the old token is a replay.
    expectRefused(await refresh(service(), token))
  })

  test('an invalid refresh token gets 401', async () => {
    const { access, refresh: token } = await newSession(service(), 'inventive')
    for (const text of ['x', '', access, token.slice(0, -1), `${token}A`, token.toUpperCase()])
      expectRefused(await refresh(service(), text))
    expect((await refresh(service(), token)).status).toBe(200)
  })

  test('a refresh token is not accepted as an access token', async () => {
    const { refresh: token } = await newSession(service(), 'confused')
    expect(await meStatus(service(), token)).toBe(401)
  })
}

/** Profile A has no endpoints to list or end single sessions. */
export function noDevicesSuite({ service }: Complete): void {
  test('logout, logout-all, change-password and devices do not exist', async () => {
    const { access: token } = await newSession(service(), 'simple')
    for (const name of ['logout', 'logout-all', 'change-password'])
      expect((await service().post(auth(name), {}, { token })).body).toMatchObject({ status: 404 })
    expect((await service().get(auth('devices'), { token })).status).toBe(404)
    expect((await service().send('DELETE', auth('devices/1'), { token })).status).toBe(404)
    expect(await meStatus(service(), token)).toBe(200)
  })
}

/** Profile B: devices, logout, password change. */
export function devicesSuite({ service, mailServer }: Complete): void {
  const devices = async (token: string) => (await service().get(auth('devices'), { token })).body.devices
  const logOut = (body?: object, token?: string) =>
    service().post(auth('logout'), body, token === undefined ? {} : { token })

  test('devices lists the sessions, newest first; a refresh keeps the id', async () => {
    const first = await newSession(service(), 'travelling')
    const phone = { device_name: 'Phone', device_type: 'mobile' }
    const headers = { 'user-agent': 'Test/1.0' }
    const login = { username: 'travelling', password: PASSWORD, ...phone }
    const second = tokensIn(await service().post(auth('login'), login, { headers }))
    const list = await devices(first.access)
    const times = { created_at: expect.stringMatching(/Z$/), expires_at: expect.stringMatching(/Z$/) }
    const common = { id: expect.any(Number), ip_address: '127.0.0.1', last_used_at: null, ...times }
    expect(list).toEqual([
      { ...common, ...phone, user_agent: 'Test/1.0', is_current: false },
      { ...common, device_name: null, device_type: null, user_agent: 'node', is_current: true },
    ])
    const lifetime = Date.parse(list[0].expires_at) - Date.parse(list[0].created_at)
    expect(lifetime).toBe(86_400_000)

    const refreshed = tokensIn(await refresh(service(), second.refresh))
    const [after] = await devices(refreshed.access)
    expect(after).toMatchObject({ id: list[0].id, ...phone, is_current: true })
    expect(after.last_used_at).toMatch(/Z$/)
  })

  test("a user can log out a device by its id, but not another user's device", async () => {
    const mine = await newSession(service(), 'lender')
    const lost = tokensIn(await logIn(service(), 'lender'))
    const stranger = await newSession(service(), 'stranger')
    const [{ id }] = await devices(mine.access)
    const end = (token: string, which = id) => service().send('DELETE', auth(`devices/${which}`), { token })
    expect((await end(stranger.access)).body).toMatchObject({ status: 404, code: 'not_found' })
    expect(await meStatus(service(), lost.access)).toBe(200)
    expect((await end(mine.access)).status).toBe(204)
    expect(await meStatus(service(), lost.access)).toBe(401)
    expect((await refresh(service(), lost.refresh)).body).toEqual(refused)
    expect((await end(mine.access)).status).toBe(404)
    expect(await devices(mine.access)).toHaveLength(1)
    expect((await end(mine.access, 'x')).status).toBe(422)
  })

  test('a user has at most 50 sessions: one more ends the oldest', async () => {
    const first = await newSession(service(), 'collector')
    const second = tokensIn(await logIn(service(), 'collector'))
    for (let session = 2; session < 51; session += 1) await logIn(service(), 'collector')
    expect(await meStatus(service(), first.access)).toBe(401)
    expect(await devices(second.access)).toHaveLength(50)
  })

  test('logout accepts a refresh token or a bearer token, and may be repeated', async () => {
    const kept = await newSession(service(), 'leaving')
    const byRefresh = tokensIn(await logIn(service(), 'leaving'))
    const byBearer = tokensIn(await logIn(service(), 'leaving'))
    expect((await logOut()).body).toMatchObject({ status: 401, code: 'not_authenticated' })
    expect((await logOut({})).body).toMatchObject({ status: 401, code: 'not_authenticated' })
    for (let time = 0; time < 2; time += 1)
      expect((await logOut({ refresh_token: byRefresh.refresh })).status).toBe(204)
    expect((await logOut({ refresh_token: 'invented' })).status).toBe(204)
    expect((await logOut(undefined, byBearer.access)).status).toBe(204)
    for (const ended of [byRefresh, byBearer]) {
      expect(await meStatus(service(), ended.access)).toBe(401)
      expect((await refresh(service(), ended.refresh)).body).toEqual(refused)
    }
    expect(await meStatus(service(), kept.access)).toBe(200)
  })

  test('logout-all ends every session', async () => {
    const first = await newSession(service(), 'fleeing')
    const second = tokensIn(await logIn(service(), 'fleeing'))
    expect((await service().post(auth('logout-all'))).status).toBe(401)
    expect((await service().post(auth('logout-all'), undefined, { token: first.access })).status).toBe(204)
    for (const { access, refresh: token } of [first, second]) {
      expect(await meStatus(service(), access)).toBe(401)
      expect((await refresh(service(), token)).body).toEqual(refused)
    }
  })

  test('change-password starts a new session and ends all others', async () => {
    const old = await newSession(service(), 'changing')
    const other = tokensIn(await logIn(service(), 'changing'))
    const change = (current_password: string, new_password: string, token = old.access) =>
      service().post(auth('change-password'), { current_password, new_password }, { token })
    expect((await change('Wrong-Horse-7', NEW_PASSWORD)).body).toEqual(
      problem(403, 'Invalid credentials', 'invalid_credentials', auth('change-password')),
    )
    expect((await change(PASSWORD, PASSWORD)).status).toBe(422)
    expect((await change(PASSWORD, 'weak')).body).toMatchObject({ status: 422, code: 'weak_password' })
    expect(await meStatus(service(), other.access)).toBe(200)

    const fresh = tokensIn(await change(PASSWORD, NEW_PASSWORD))
    expect(await meStatus(service(), fresh.access)).toBe(200)
    for (const { access, refresh: token } of [old, other]) {
      expect(await meStatus(service(), access)).toBe(401)
      expect((await refresh(service(), token)).body).toEqual(refused)
    }
    expect((await logIn(service(), 'changing')).status).toBe(401)
    expect((await logIn(service(), 'changing', NEW_PASSWORD)).status).toBe(200)
    expect((await refresh(service(), fresh.refresh)).status).toBe(200)
    const notice = await mailServer().next('changing@example.com', 'Your password was changed')
    expect(notice.text).toContain('changing')
  })

  test('a request without a token gets 401', async () => {
    const body = { current_password: PASSWORD, new_password: NEW_PASSWORD }
    expect((await service().post(auth('change-password'), body)).body.code).toBe('not_authenticated')
    expect((await service().get(auth('devices'))).body.code).toBe('not_authenticated')
    expect((await service().send('DELETE', auth('devices/1'))).body.code).toBe('not_authenticated')
  })
}
