import { expect, test } from 'vitest'
import {
  bearer,
  changeUser,
  getMe,
  logIn,
  password,
  putMe,
  readUser,
  register,
  tryLogIn,
} from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

async function appWithLog() {
  const lines: string[] = []
  const app = await createTestApp({}, { level: 'trace', stream: { write: (line) => void lines.push(line) } })
  return { app, lines, entries: () => lines.map((line) => JSON.parse(line)) }
}

test('the log never contains a password, hash, token, secret, name or email', async () => {
  const { app, lines } = await appWithLog()
  app.get('/broken', { onRequest: app.requireUser }, async () => {
    throw new Error('broken')
  })
  const { id } = await register(app)
  const token = await logIn(app)
  const wrong = 'Wrong-Horse-7'
  await tryLogIn(app, 'alice', wrong)
  await tryLogIn(app, password, wrong)
  await getMe(app, token)
  await getMe(app, `${token}x`)
  await app.inject({ url: '/broken', headers: bearer(token) })
  await putMe(app, token, { email: 'new@example.com', current_password: password })
  await putMe(app, token, { email: 'bad', current_password: 'New-Horse-8' })
  await app.inject({
    method: 'PUT',
    url: '/api/v1/users/me',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    payload: `{"${password}`,
  })
  const { hashedPassword } = await readUser(app, id)

  const log = lines.join('')
  expect(lines.length).toBeGreaterThan(9)
  for (const secret of [
    password,
    wrong,
    'New-Horse-8',
    hashedPassword,
    token,
    token.split('.')[2],
    app.config.accessTokens.secret,
  ])
    expect(log).not.toContain(secret)
  expect(log).not.toMatch(/alice|@example\.com|Bearer/i)
})

test('each account event is one log entry with a fixed name and the id of the user', async () => {
  const { app, entries } = await appWithLog()
  const { id } = await register(app)
  const token = await logIn(app)
  await tryLogIn(app, 'alice', 'Wrong-Horse-7')
  await tryLogIn(app, 'nobody', 'Wrong-Horse-7')
  await changeUser(app, id, { isActive: false })
  await tryLogIn(app, 'alice', password)
  await changeUser(app, id, { isActive: true })
  await putMe(app, token, { email: 'new@example.com' })
  expect(
    entries()
      .filter(({ event }) => event)
      .map(({ event, userId }) => [event, userId]),
  ).toEqual([
    ['user.registered', id],
    ['login.succeeded', id],
    ['login.failed', id],
    ['login.failed', undefined],
    ['login.failed', id],
    // A request in mode complete, a change in mode basic.
    [expect.stringMatching(/^user\.email_change(d|_requested)$/), id],
  ])
})

test('client input cannot forge a log entry', async () => {
  const { app, lines, entries } = await appWithLog()
  await tryLogIn(app, '"}\n{"level":30,"event":"login.succeeded","userId":1}', 'x')
  await tryLogIn(app, 'a\\u000a{"event":"login.succeeded"}', 'x')
  expect(lines.every((line) => /^[^\n\r]+\n$/.test(line))).toBe(true)
  expect(entries().map(({ event }) => event)).not.toContain('login.succeeded')
})
