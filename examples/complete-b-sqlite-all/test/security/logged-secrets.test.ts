import { expect, test } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
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

async function appWithLog(env = {}) {
  const lines: string[] = []
  const app = await createTestApp(env, { level: 'trace', stream: { write: (line) => void lines.push(line) } })
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
      .filter(({ event }) => /^(user|login)\./.test(event))
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

interface Schema {
  properties?: Record<string, { format?: string }>
  anyOf?: Schema[]
}

type Paths = Record<
  string,
  Record<string, { requestBody?: { content: { 'application/json'?: { schema: Schema } } } }>
>

const marker = 'Marker4711'

/** Of a user. No password here contains it: it could be refused. */
const markedName = `${marker}x`

/** A text of a user for each field: as valid as it can be, and with the marker. */
const marked = (name: string, format?: string) => {
  if (format === 'email' || name === 'email') return `${markedName}@${marker}.example`
  return name.includes('password') ? `${marker}-${name}-A!` : markedName
}

const hasMarker = (line: string) => line.toLowerCase().includes(marker.toLowerCase())

// A reader of the log, or of a copy of it, would learn names, addresses and tokens.
test('no log line contains a text of a user, whatever endpoint they send it to', async () => {
  const { app, lines } = await appWithLog({ DOCS_ENABLED: 'true', RATE_LIMIT_ENABLED: 'false' })
  await app.ready()
  const paths = JSON.parse(JSON.stringify(app.swagger())).paths as Paths
  const endpoints = Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema
      const properties = schema?.properties ?? schema?.anyOf?.[0]?.properties ?? {}
      return [{ url, method: method.toUpperCase() as 'GET' | 'POST', properties: Object.entries(properties) }]
    }),
  )
  expect(endpoints.length).toBeGreaterThan(3)

  for (const [index, { url, method, properties }] of endpoints.entries()) {
    const valid = Object.fromEntries(properties.map(([name, { format }]) => [name, marked(name, format)]))
    const single = properties.map(([name]) => ({ ...valid, [name]: undefined }))
    const bodies = [valid, ...single, { ...valid, [marker]: marker }, { [marker]: { [marker]: [marker] } }]
    const { username } = await register(app, `${marker}-${index}`, marked('current_password'))
    const token = await logIn(app, username, marked('current_password'))
    for (const body of [...bodies, `{"${marker}`])
      for (const authorization of [`Bearer ${token}`, `Bearer ${marker}`, marker])
        await app.inject({
          method,
          url: `${url}?${marker}=${marker}`,
          headers: {
            authorization,
            'content-type': 'application/json',
            'user-agent': marker,
            'x-forwarded-for': marker,
            'x-request-id': marker,
            cookie: marker,
            referer: marker,
          },
          ...(method !== 'GET' && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
        })
  }
  expect(lines.length).toBeGreaterThan(endpoints.length * 9)
  expect(lines.filter(hasMarker)).toEqual([])
})

test('no log line of a command contains its arguments or the password', async () => {
  const { app, lines } = await appWithLog()
  const commands = await loadUserCommands()
  const readPassword = async () => marked('password')
  const user = (...args: string[]) => runUserCommand(commands, args, { ...app.ctx, readPassword })
  await user('create', markedName, marked('email'))
  await user('deactivate', markedName)
  await expect(user('create', markedName, marked('email'))).rejects.toThrow('already registered')
  await expect(user('deactivate', `${marker}-nobody`)).rejects.toThrow('no user')
  expect(lines).toHaveLength(2)
  expect(lines.filter(hasMarker)).toEqual([])
})
